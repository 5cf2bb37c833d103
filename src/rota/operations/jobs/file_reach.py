"""Job files of a credential for some queues: it sees and changes only what is in those queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rota.engine.admission.windows import blackouts
from rota.engine.jobs.definitions import current_specs
from rota.engine.schedules.views import schedules_named
from rota.errors import NotPermitted
from rota.model.jobs.apply_plan import Kind, Plan
from rota.model.jobs.bundle import Bundle
from rota.model.jobs.spec import JobSpec
from rota.model.schedules.definitions import Blackout
from rota.operations.caller import Caller
from rota.operations.schedules.calendars import check_own_calendar, used_by_others
from rota.rules.security.rights import queues_of, started_by
from rota.store.base import Tx


def check_reach(tx: Tx, caller: Caller, bundles: Sequence[Bundle], plan: Plan) -> None:
    """NotPermitted unless all that files define, start, change or leave behind is within reach.

    Asked before anything is changed. A calendar belongs to no queue: who reaches all schedules that
    go by it may change it.
    """
    reaches = caller.sees
    if caller.sees_all_queues:
        return
    _check_alerts(bundles)
    new = {name: spec for bundle in bundles for name, spec in bundle.jobs.items()}
    for name, spec in new.items():
        for queue in queues_of(spec):
            if not reaches(queue):
                raise NotPermitted(f"job {name}: the credential does not reach the queue {queue}")
    wanted = _jobs(tx, caller, bundles, plan) | {n for s in new.values() for n in _others(s)}
    stored = current_specs(tx, wanted, namespace=caller.namespace)
    for name, (_, spec) in sorted(stored.items()):
        if not reaches(spec.queue):
            raise NotPermitted(f"job {name} is of a queue that the credential does not reach")
    for name in sorted(_touched(plan, "calendar") & used_by_others(tx, caller)):
        check_own_calendar(tx, caller, name)
    for name, window in _windows(tx, caller, bundles, plan):
        if window.queue is None or not reaches(window.queue):
            raise NotPermitted(f"blackout {name}: a window of the credential names a queue of it")


def _check_alerts(bundles: Sequence[Bundle]) -> None:
    if any(bundle.channels or bundle.alert_rules for bundle in bundles):
        raise NotPermitted("alerts are about all queues, and the credential reaches some of them")


def _others(spec: JobSpec) -> Iterator[str]:
    """Yield the jobs that this one starts or waits for."""
    yield from spec.dependencies
    yield from started_by(spec)


def _jobs(tx: Tx, caller: Caller, bundles: Sequence[Bundle], plan: Plan) -> set[str]:
    """Return the jobs that the files define, start or change, also through schedules."""
    timed = {name: each.job for bundle in bundles for name, each in bundle.schedules.items()}
    known = schedules_named(
        tx, timed.keys() | _touched(plan, "schedule"), namespace=caller.namespace
    )
    defined = {name for bundle in bundles for name in bundle.jobs}
    changed = _touched(plan, "job") | _touched(plan, "graph")
    return defined | changed | set(timed.values()) | set(known.values())


def _windows(
    tx: Tx, caller: Caller, bundles: Sequence[Bundle], plan: Plan
) -> Iterator[tuple[str, Blackout]]:
    """Yield the windows of the files, and those on record that the files change."""
    for bundle in bundles:
        yield from bundle.blackouts.items()
    changed = _touched(plan, "blackout")
    present = blackouts(tx, namespace=caller.namespace)
    yield from ((name, window) for name, window in present.items() if name in changed)


def _touched(plan: Plan, kind: Kind) -> set[str]:
    changed = {each.name for each in plan.changes if each.kind == kind}
    return changed | {each.name for each in plan.leftovers if each.kind == kind}
