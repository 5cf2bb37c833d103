"""Operations on job files: plan their changes, or make them in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec

from rota.engine.jobs.apply import apply, compare
from rota.engine.schedules.calendars import calendars
from rota.errors import BadFile, BadOption, NotPermitted
from rota.ids import new_id
from rota.model.jobs.apply_plan import Change, Plan, Wish
from rota.model.jobs.bundle import Bundle
from rota.model.jobs.spec import JobSpec
from rota.model.schedules.definitions import Calendar, CalendarView
from rota.model.view import Body
from rota.operations.caller import Caller
from rota.operations.instants import instant_ms_or_none
from rota.operations.jobs.file_reach import check_reach
from rota.operations.jobs.redaction import visible_changes
from rota.operations.operation import Read, changes, nothing_changed, reads, tell
from rota.operations.permissions import check_rights
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
        """Checked; what is computed for somebody has an end."""
        horizon_ms = parse_duration(self.horizon)
        if horizon_ms > LONGEST_MS:
            raise BadOption(f"horizon: at most {LONGEST_MS // DAY_MS:,}d are compared")
        return Wish(
            start=instant_ms_or_none("since", self.since),
            horizon_ms=horizon_ms,
            prune=self.prune,
            take_over=self.take_over,
        )


class ParsedFiles(FilesBody, kw_only=True):
    """Job files with what they define; these never travel."""

    bundles: list[Bundle]


def bundles_of(
    files: Sequence[tuple[str, bytes]], *, calendars: Mapping[str, Calendar]
) -> list[Bundle]:
    """Return the definitions in job files; they may name these calendars."""
    from rota.rules.jobs.files.read import read_bundle  # noqa: PLC0415  # few processes need YAML

    bundles = [read_bundle(data, name, calendars=calendars) for name, data in files]
    names = [bundle.name for bundle in bundles]
    for name in names:
        if names.count(name) > 1:
            raise BadFile(f"two of the files are bundle {name!r}; give one of them a bundle: name")
    return bundles


def _parse(read: Read, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the files before the transaction, which must not wait for YAML."""
    body: FilesBody = arguments["body"]
    body.wish()
    stored: dict[str, CalendarView] = read(lambda tx: calendars(tx, namespace=caller.namespace))
    known = {name: each.calendar for name, each in stored.items()}
    bundles = bundles_of([(each.name, each.text.encode()) for each in body.files], calendars=known)
    return {"body": ParsedFiles(**msgspec.structs.asdict(body), bundles=bundles)}


@reads("/files/plan", method="POST", parse=_parse)
def plan_files(tx: Tx, caller: Caller, body: FilesBody) -> Plan:
    """The changes that applying job files would make, and the runs that they move."""
    bundles = _bundles(body)
    return _visible(_plan_within_reach(tx, caller, bundles, body.wish()), bundles, caller)


@changes(
    "POST",
    "/files/apply",
    verb="apply",
    role="author",
    also=("exec",),
    subject="",
    parse=_parse,
)
def apply_files(tx: Tx, caller: Caller, body: FilesBody) -> Plan:
    """Make it so, in one transaction; the same again changes nothing."""
    bundles, wish = _bundles(body), body.wish()
    if not caller.sees_all_queues:
        _plan_within_reach(tx, caller, bundles, wish)
    plan = apply(
        tx,
        bundles,
        wish,
        namespace=caller.namespace,
        who=caller.actor.who,
        compiled=compiled_schedules(),
        new_id=new_id,
    )
    _check_channels(caller, plan)
    changed = {each.name for each in plan.changes if each.kind in ("job", "graph")}
    specs = [spec for bundle in bundles for spec in bundle.jobs.values()]
    check_rights(tx, caller, *(spec for spec in specs if spec.name in changed))
    done = [f"{each.verb} {each.kind} {each.name}" for each in plan.changes]
    tell(tx, caller, subject=", ".join(bundle.name for bundle in bundles), changes=done)
    if not done:
        nothing_changed(tx, caller)
    return msgspec.structs.replace(_visible(plan, bundles, caller), applied=True)


def _check_channels(caller: Caller, plan: Plan) -> None:
    """NotPermitted for a caller who may not change alert channels, and whose files do."""
    touched = [each.name for each in plan.changes if each.kind == "alert channel"]
    if touched and not caller.credential.has("admin"):
        raise NotPermitted(f"alert channel {touched[0]}: the role admin is needed to change it")


def _bundles(body: FilesBody) -> list[Bundle]:
    assert isinstance(body, ParsedFiles)  # noqa: S101  # see `_parse`
    return body.bundles


def _plan_within_reach(tx: Tx, caller: Caller, bundles: Sequence[Bundle], wish: Wish) -> Plan:
    plan = compare(tx, bundles, wish, namespace=caller.namespace)
    check_reach(tx, caller, bundles, plan)
    return plan


def _visible(plan: Plan, bundles: Sequence[Bundle], caller: Caller) -> Plan:
    """Return the plan, with secrets only for callers who may write them."""
    changes = [
        msgspec.structs.replace(
            each,
            fields=tuple(visible_changes(each.fields, caller.credential, *_specs(bundles, each))),
        )
        for each in plan.changes
    ]
    return msgspec.structs.replace(plan, changes=tuple(changes))


def _specs(bundles: Sequence[Bundle], change: Change) -> list[JobSpec]:
    """Return the specs that the files give a changed job."""
    if change.kind not in ("job", "graph"):
        return []
    return [bundle.jobs[change.name] for bundle in bundles if change.name in bundle.jobs]
