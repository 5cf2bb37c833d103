"""Operations on releases: list the declarations of each deploy, and go back to one."""

from __future__ import annotations

from msgspec.structs import replace

from rota.engine.graphs.graph_run import find_spec
from rota.engine.jobs import declare as engine
from rota.engine.jobs.declare import Declarer
from rota.errors import UnknownRelease
from rota.ids import new_id
from rota.model.jobs.release import Release
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.jobs.declare import record_removals
from rota.operations.operation import changes, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.permissions import check_rights
from rota.operations.schedules.compiled import compiled_schedules
from rota.store.base import Tx

MOST_RELEASES = 2**31 - 1


@reads("/releases")
def list_releases(
    tx: Tx, caller: Caller, *, app: str | None = None, limit: Limit = PAGE
) -> Page[Release]:
    """The newest first. A token for some queues sees none: releases are of whole apps."""
    if not caller.sees_all_queues:
        return Page(items=[])
    found = engine.releases(tx, namespace=caller.namespace, app=app, limit=limit)
    return Page(items=[_offered(each, caller) for each in found])


@changes(
    "POST",
    "/releases/{number}/use",
    verb="use release",
    role="author",
    subject="number",
    also=("exec",),
)
def use_release(tx: Tx, caller: Caller, number: int) -> Release:
    """Make what a release declared hold again, at once; it gets a new number, the highest."""
    _check_reach(tx, caller, number)
    hand = Declarer(
        namespace=caller.namespace,
        who=caller.actor.who,
        compiled=compiled_schedules(),
        new_id=new_id,
    )
    used, removed = engine.use(tx, number, hand)
    record_removals(tx, removed, hand)
    tell(tx, caller, subject=str(used.number), app=used.app, label=used.label, was=number)
    return _offered(used, caller)


def _check_reach(tx: Tx, caller: Caller, number: int) -> None:
    """NotPermitted unless the caller may put the whole release in force.

    For a credential for some queues no release exists: a release is of a whole app.
    """
    if not caller.sees_all_queues or not 0 < number <= MOST_RELEASES:
        raise UnknownRelease(number)
    found = engine.find_release(tx, number, namespace=caller.namespace)
    specs = (
        find_spec(tx, name, version, namespace=caller.namespace)
        for name, version in found.jobs.items()
    )
    check_rights(tx, caller, *(spec for spec in specs if spec is not None))


def _offered(release: Release, caller: Caller) -> Release:
    return replace(release, verbs=() if release.holds else caller.may("use", role="author"))
