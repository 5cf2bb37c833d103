"""Job files: what they would change, and the change itself, in one transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.params import JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.jobs.file_reach import check_reach
from rota.api.server.documents import Document, Moment, then, when
from rota.api.server.request import ApiRequest
from rota.app.files import bundles_of
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.apply import apply, compare
from rota.engine.schedules.calendars import calendars
from rota.errors import BadOption
from rota.ids import new_id
from rota.model.bundle import Bundle
from rota.model.plan import Change, Kind, Plan, Verb, Wish
from rota.model.spec import JobSpec
from rota.model.view import Body
from rota.operations.identity.permissions import check_rights
from rota.operations.instants import instant_ms_or_none
from rota.operations.jobs.redaction import visible_changes
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

MOST_FILES = 100
DAY_MS = 86_400_000
LONGEST_MS = 3_660 * DAY_MS


class FileBody(Body):
    """A job file."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    """Whose last part is the name of its bundle, unless the file says another."""
    text: str
    """YAML, as `rota apply` reads it."""


class FilesBody(Body):
    """Job files, and how to go about them."""

    files: Annotated[list[FileBody], msgspec.Meta(min_length=1, max_length=MOST_FILES)]
    prune: bool = False
    """Also remove what left the files."""
    take_over: bool = False
    """Also change what code or other files own."""
    since: datetime | None = None
    """From when runs are compared; from now if not said."""
    horizon: str | float = "7d"
    """How far they are."""

    def wish(self) -> Wish:
        """Checked; what a server computes for somebody has an end."""
        horizon_ms = parse_duration(self.horizon)
        if horizon_ms > LONGEST_MS:
            raise BadOption(f"horizon: at most {LONGEST_MS // DAY_MS:,}d are compared by a server")
        return Wish(
            start=instant_ms_or_none("since", self.since),
            horizon_ms=horizon_ms,
            prune=self.prune,
            take_over=self.take_over,
        )


class FieldDocument(Document):
    """One field before and after; null where there is nothing."""

    field: str
    old: Any
    new: Any


class PlanChange(Document):
    """One thing that is added, changed or removed."""

    kind: Kind
    name: str
    verb: Verb
    fields: list[FieldDocument]


class LeftoverDocument(Document):
    """On record from one of these files, and not in it any more."""

    kind: Kind
    name: str


class MovedDocument(Document):
    """A run to come that is added, removed or moved."""

    schedule: str
    verb: str
    old: Moment | None
    new: Moment | None


class PlanDocument(Document):
    """What files change, in the order it is done."""

    applied: bool
    changes: list[PlanChange]
    unchanged: int
    leftovers: list[LeftoverDocument]
    """What `prune` would remove."""
    runs: list[MovedDocument]
    until: Moment
    """How far runs were compared."""
    cut: list[str]
    """Schedules of which not all runs were compared, since there are too many."""


@post("/files/plan", **needs("viewer", changes=True), status_code=200)
async def plan_files(request: ApiRequest, data: JSONBody[FilesBody]) -> PlanDocument:
    """What applying job files would add, change and remove, and which runs that moves."""
    wish, bundles = data.wish(), await _read(request, data)
    plan = await request.read(lambda tx: _reached_plan(tx, request, bundles, wish))
    return _document(plan, bundles, request, applied=False)


@post("/files/apply", **needs("author", changes=True, also=("exec",)), status_code=200)
async def apply_files(request: ApiRequest, data: JSONBody[FilesBody]) -> PlanDocument:
    """Make it so, in one transaction; the same again changes nothing."""
    wish, bundles = data.wish(), await _read(request, data)

    def make_so(tx: Tx, by: Actor) -> PlanDocument:
        if request.credential.queues is not None:
            _reached_plan(tx, request, bundles, wish)
        plan = apply(
            tx,
            bundles,
            wish,
            namespace=request.namespace,
            by=by,
            compiled=compiled_schedules(),
            new_id=new_id,
        )
        changed = {each.name for each in plan.changes if each.kind in ("job", "graph")}
        specs = [spec for bundle in bundles for spec in bundle.jobs.values()]
        check_rights(tx, request.credential, *(spec for spec in specs if spec.name in changed))
        return _document(plan, bundles, request, applied=True)

    subject = ", ".join(bundle.name for bundle in bundles)
    return await request.change("apply", subject, make_so, answers=PlanDocument)


def _reached_plan(tx: Tx, request: ApiRequest, bundles: list[Bundle], wish: Wish) -> Plan:
    plan = compare(tx, bundles, wish, namespace=request.namespace)
    check_reach(tx, request, bundles, plan)
    return plan


async def _read(request: ApiRequest, data: FilesBody) -> list[Bundle]:
    """Before the transaction, which must not wait for YAML."""
    files = [(each.name, each.text.encode()) for each in data.files]
    stored = await request.read(lambda tx: calendars(tx, namespace=request.namespace))
    known = {name: each.calendar for name, each in stored.items()}
    return await request.server_state.call_slowly(lambda: bundles_of(files, calendars=known))


def _specs(bundles: list[Bundle], change: Change) -> list[JobSpec]:
    """What the files make of a job that changes."""
    if change.kind not in ("job", "graph"):
        return []
    return [bundle.jobs[change.name] for bundle in bundles if change.name in bundle.jobs]


def _document(
    plan: Plan, bundles: list[Bundle], request: ApiRequest, *, applied: bool
) -> PlanDocument:
    return PlanDocument(
        applied=applied,
        changes=[
            PlanChange(
                kind=change.kind,
                name=change.name,
                verb=change.verb,
                fields=[
                    FieldDocument(field=each.field, old=each.old, new=each.new)
                    for each in visible_changes(
                        change.fields, request.credential, *_specs(bundles, change)
                    )
                ],
            )
            for change in plan.changes
        ],
        unchanged=plan.unchanged,
        leftovers=[LeftoverDocument(kind=each.kind, name=each.name) for each in plan.leftovers],
        runs=[
            MovedDocument(
                schedule=each.schedule, verb=each.verb, old=when(each.old), new=when(each.new)
            )
            for each in plan.runs
        ],
        until=then(plan.until),
        cut=list(plan.cut),
    )


ROUTES = (plan_files, apply_files)
