"""Declare: store the definitions that the code of an app declares, all of them or none.

Code older than the last declaration changes nothing: a worker that is restarted in the middle of a
deploy must not remove what the new code brought. An app that has a name also removes what its code
no longer declares; never what others declared.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import msgspec

from rota.engine.jobs.definitions import (
    check_told_jobs,
    declared_jobs,
    define,
    make_current,
    put_version,
    remove,
    spec_of,
)
from rota.engine.locks import lock_name
from rota.engine.runs.find import now_ms
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.starts import NewId
from rota.engine.schedules.views import declared
from rota.engine.workers.registry import workers
from rota.errors import UnknownRelease, UnknownSchedule
from rota.model.jobs.bundle import BundledSchedule
from rota.model.jobs.release import Declaration, Release
from rota.model.view import view_of
from rota.rules.jobs.releases import ReleaseContent, digest_of, successor
from rota.store.base import Row, Tx

KEPT = 1_000
"""The number of releases of an app that are kept; code older than all of them counts as new."""

_jobs = msgspec.json.Decoder(dict[str, int])
_schedules = msgspec.json.Decoder(dict[str, BundledSchedule])
_plain = msgspec.json.Decoder(dict[str, Any])


class Removal(NamedTuple):
    """A job or a schedule that the code of an app no longer declares, and that was removed."""

    kind: Literal["job", "schedule"]
    name: str
    app: str | None


class UsedRelease(NamedTuple):
    """A release that holds again, and what went with the one before."""

    release: Release
    removed: list[Removal]


class DeclareResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a declaration."""

    versions: dict[str, int]
    number: int
    newer: Release | None = None
    """The release that replaced this one: then nothing was changed."""
    removed: list[Removal] = []
    used: Release | None = None
    """The release of this code, if that holds again, with its new number."""
    was: int | None = None
    """The number that it had before."""


class Declarer(msgspec.Struct, frozen=True, kw_only=True):
    """The author of changes of definitions in a namespace, with the tools for them."""

    namespace: str
    who: str
    compiled: CompiledSchedules
    new_id: NewId
    decides: bool = False
    """Whether a person starts it: with no other worker alive, its code counts as the newest."""


def declare(tx: Tx, said: Declaration, hand: Declarer) -> DeclareResult:
    """Store the definitions of the code, unless it is older than what the store holds."""
    at = {"namespace": hand.namespace, "app": said.app or "", "digest": digest_of(said)}
    lock_name(tx, "release", "", namespace=hand.namespace)
    row = tx.one("find_release", **at)
    newer = None if row is None else _newer(tx, row, said.app, hand.namespace)
    if row is not None and newer is not None:
        if hand.decides and _is_alone(tx, hand.namespace):
            used, removed = use(tx, row["number"], hand)
            return DeclareResult(
                versions=used.jobs,
                number=used.number,
                removed=removed,
                used=used,
                was=row["number"],
            )
        specs = said.jobs.values()
        known = {spec.name: put_version(tx, spec, namespace=hand.namespace)[0] for spec in specs}
        return DeclareResult(versions=known, number=row["number"], newer=newer)
    check_told_jobs(tx, said.jobs, namespace=hand.namespace)
    since = now_ms(tx)
    versions = {
        name: define(tx, spec, namespace=hand.namespace, app=said.app, since=since)
        for name, spec in said.jobs.items()
    }
    _put_schedules(tx, said.schedules, said.app, hand)
    removed = _remove_rest(tx, said.app, said.jobs, said.schedules, hand.namespace)
    if row is None:
        facts = {"jobs": _text(versions), "schedules": _text(said.schedules)}
        tx.execute("insert_release", label=said.label, who=hand.who, **at, **facts)
        tx.execute("prune_releases", namespace=hand.namespace, app=at["app"], keep=KEPT)
        row = tx.one("find_release", **at)
    return DeclareResult(versions=versions, number=row["number"] if row else 0, removed=removed)


def use(tx: Tx, number: int, hand: Declarer) -> UsedRelease:
    """Go back or forward to a release: its declarations hold again, and others are older now."""
    lock_name(tx, "release", "", namespace=hand.namespace)
    row = _find(tx, number, hand.namespace)
    release, schedules_then = _release(row), _schedules.decode(row["schedules"])
    later = _later(tx, number, release.app, hand.namespace)
    since = now_ms(tx)
    for name, version in release.jobs.items():
        spec = spec_of(tx, name, version, namespace=hand.namespace)
        if spec is not None:
            place, app = hand.namespace, release.app
            make_current(tx, spec, version, namespace=place, app=app, since=since)
    _put_schedules(tx, schedules_then, release.app, hand)
    shared = [each for each in later if each.jobs.keys() & release.jobs.keys()]
    jobs = {*release.jobs, *(name for each in shared for name in each.jobs)}
    wanted = release.schedules
    removed = _remove_rest(tx, release.app, release.jobs, wanted, hand.namespace, of=jobs)
    tx.execute("renumber_release", namespace=hand.namespace, number=number, who=hand.who)
    return UsedRelease(releases(tx, namespace=hand.namespace, limit=1)[0], removed)


def releases(tx: Tx, *, namespace: str, app: str | None = None, limit: int = 50) -> list[Release]:
    """Return the newest releases first; one `holds` if none replaced it for its jobs."""
    rows = tx.all("list_releases", namespace=namespace, app=app, number=None, limit=limit)
    later: dict[str, list[ReleaseContent]] = {}
    found = []
    for row in rows:
        said, before = _said(row), later.setdefault(row["app"], [])
        holds = successor(said, before, is_named=bool(row["app"])) is None
        found.append(_release(row, holds=holds))
        before.append(said)
    return found


def find_release(tx: Tx, number: int, *, namespace: str) -> Release:
    """Return a release; UnknownRelease for a number that none has, such as that before a `use`."""
    return _release(_find(tx, number, namespace))


def _find(tx: Tx, number: int, namespace: str) -> Row:
    row = tx.one("list_releases", namespace=namespace, app=None, number=number, limit=1)
    if row is None:
        raise UnknownRelease(number)
    return row


def _is_alone(tx: Tx, namespace: str) -> bool:
    return not any(each.is_alive for each in workers(tx, namespace=namespace))


def _newer(tx: Tx, row: Row, app: str | None, namespace: str) -> Release | None:
    later = _later(tx, row["number"], app, namespace)
    number = successor(_said(row), later, is_named=app is not None)
    return None if number is None else find_release(tx, number, namespace=namespace)


def _later(tx: Tx, number: int, app: str | None, namespace: str) -> list[ReleaseContent]:
    rows = tx.all("later_releases", namespace=namespace, app=app or "", number=number)
    return [_said(row) for row in rows]


def _put_schedules(
    tx: Tx, wanted: dict[str, BundledSchedule], app: str | None, hand: Declarer
) -> None:
    for name, each in wanted.items():
        schedules.put(
            tx,
            name,
            each.schedule,
            namespace=hand.namespace,
            job=each.job,
            origin="code",
            who=hand.who,
            compiled=hand.compiled,
            new_id=hand.new_id,
            app=app,
        )


def _remove_rest(  # whose, what stays, where, and of what else
    tx: Tx,
    app: str | None,
    jobs: Collection[str],
    wanted: Collection[str],
    namespace: str,
    *,
    of: Collection[str] = (),
) -> list[Removal]:
    """Remove unwanted schedules of these jobs and of this app, and jobs of a named app."""
    removed: list[Removal] = []
    for name in declared(tx, {*jobs, *of}, namespace=namespace, app=app):
        if name not in wanted:
            with suppress(UnknownSchedule):  # another process was faster
                schedules.remove(tx, name, namespace=namespace)
                removed.append(Removal("schedule", name, app))
    if app is not None:
        at = {"namespace": namespace}
        gone = [name for name in declared_jobs(tx, app=app, **at) if name not in jobs]
        removed += [Removal("job", name, app) for name in gone if remove(tx, name, **at)]
    return removed


def _said(row: Row) -> ReleaseContent:
    return ReleaseContent(row["number"], _jobs.decode(row["jobs"]), _plain.decode(row["schedules"]))


def _release(row: Row, *, holds: bool = False) -> Release:
    names = tuple(sorted(_plain.decode(row["schedules"])))
    return view_of(Release, row, app=row["app"] or None, schedules=names, holds=holds)


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
