"""Apply: store the definitions of bundles in one transaction; a repeated apply does nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from rota.engine.admission.windows import blackouts, put_blackout
from rota.engine.alerts.rules import channels, put_channel, put_rule, rules
from rota.engine.jobs.definitions import define, jobs, remove
from rota.engine.runs.find import now_ms
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.calendars import calendars, put_calendar
from rota.engine.schedules.compiled import CompiledSchedules, seed_of
from rota.engine.schedules.starts import NewId
from rota.engine.schedules.views import readable
from rota.model.jobs.apply_plan import Change, Plan, Stored, StoredJob, StoredSchedule, Wish
from rota.model.jobs.bundle import Bundle
from rota.rules.jobs.plan import make_plan, origin_of
from rota.store.base import Tx


def compare(tx: Tx, bundles: Sequence[Bundle], wish: Wish, *, namespace: str) -> Plan:
    """Return the changes that an apply would make now; changes nothing."""
    return make_plan(
        bundles,
        _read_stored(tx, bundles, namespace),
        wish,
        seed=lambda name: seed_of(namespace, name),
    )


def apply(  # noqa: PLR0913  # what, whose, by whom, and two sources of what is new
    tx: Tx,
    bundles: Sequence[Bundle],
    wish: Wish,
    *,
    namespace: str,
    who: str,
    compiled: CompiledSchedules,
    new_id: NewId,
) -> Plan:
    """Apply the bundles and return the changes made; writes nothing if all is as it should be."""
    plan = compare(tx, bundles, wish, namespace=namespace)
    doer = _Doer(tx, namespace, who, compiled, new_id, now_ms(tx))
    for change in plan.changes:
        if change.verb == "remove":
            doer.remove(change)
        for bundle in bundles:
            doer.put(bundle, change)
    return plan


class _Doer(NamedTuple):
    """Carries out changes, one at a time, in one transaction."""

    tx: Tx
    namespace: str
    who: str
    compiled: CompiledSchedules
    new_id: NewId
    since: int
    """The time of the apply: all its definitions have the same one."""

    def put(self, bundle: Bundle, change: Change) -> None:
        """Store an added or changed definition, if it is in this bundle."""
        name, at = change.name, {"namespace": self.namespace}
        if change.kind in ("job", "graph") and name in bundle.jobs:
            origin, spec = origin_of(bundle), bundle.jobs[name]
            define(self.tx, spec, namespace=self.namespace, origin=origin, since=self.since)
        elif change.kind == "calendar" and name in bundle.calendars:
            put_calendar(self.tx, name, bundle.calendars[name], **at)
        elif change.kind == "blackout" and name in bundle.blackouts:
            put_blackout(self.tx, name, bundle.blackouts[name], **at)
        elif change.kind == "alert channel" and name in bundle.channels:
            put_channel(self.tx, name, bundle.channels[name], **at)
        elif change.kind == "alert rule" and name in bundle.alert_rules:
            put_rule(self.tx, name, bundle.alert_rules[name], **at)
        elif change.kind == "schedule" and name in bundle.schedules:
            schedules.put(
                self.tx,
                name,
                bundle.schedules[name].schedule,
                job=bundle.schedules[name].job,
                origin="file",
                who=self.who,
                compiled=self.compiled,
                new_id=self.new_id,
                namespace=self.namespace,
            )
            # An unchanged schedule is left as it is, and so is its origin.
            self.tx.execute("adopt_schedule", name=name, **at)

    def remove(self, change: Change) -> None:
        if change.kind == "schedule":
            schedules.remove(self.tx, change.name, namespace=self.namespace)
        else:
            remove(self.tx, change.name, namespace=self.namespace)


def _read_stored(tx: Tx, bundles: Sequence[Bundle], namespace: str) -> Stored:
    ours = {origin_of(bundle) for bundle in bundles}
    names = {name for bundle in bundles for name in bundle.jobs}
    every = jobs(tx, namespace=namespace)
    stored_jobs = {
        view.name: StoredJob(spec=view.spec, origin=view.origin)
        for view in every
        if view.name in names or view.origin in ours
    }
    rows = tx.all(
        "bundled_schedules",
        namespace=namespace,
        jobs=json.dumps(sorted({*names, *stored_jobs})),
        names=json.dumps(sorted({name for bundle in bundles for name in bundle.schedules})),
    )
    return Stored(
        now=now_ms(tx),
        jobs=stored_jobs,
        others={view.name: view.spec for view in every},
        origins={view.name: view.origin for view in every},
        schedules={
            row["name"]: StoredSchedule(
                job=row["job"],
                schedule=readable(row["spec"]),
                origin=row["origin"],
                state=row["state"],
            )
            for row in rows
        },
        calendars={
            name: each.calendar for name, each in calendars(tx, namespace=namespace).items()
        },
        blackouts=blackouts(tx, namespace=namespace),
        # Only who may write channels reads them: a worker's login may not.
        channels=channels(tx, namespace=namespace)
        if any(each.channels for each in bundles)
        else {},
        alert_rules={each.name: each.rule for each in rules(tx, namespace=namespace)},
    )
