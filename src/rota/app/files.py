"""Job files and a store: what they would change, and the change itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rota.app.who import whoami
from rota.engine.acts import By
from rota.engine.apply import apply, compare
from rota.engine.calendars import calendars
from rota.engine.fire import seed_of
from rota.errors import BadFile
from rota.ids import new_id
from rota.model.bundle import Bundle
from rota.model.plan import Plan, Stored, Wish
from rota.model.schedule import Calendar
from rota.rules.jobfile import read_bundle
from rota.rules.jobfile.yaml12 import MAX_BYTES
from rota.rules.plan import make_plan

if TYPE_CHECKING:
    from rota.app.app import App


def read_file(path: str) -> bytes:
    """The bytes of a file, not many more than a job file may have; BadFile when it has none."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from error


def read_bundles(paths: Sequence[str], *, calendars: Mapping[str, Calendar]) -> list[Bundle]:
    """What the files define; they may name these calendars."""
    bundles = [read_bundle(read_file(path), path, calendars=calendars) for path in paths]
    names = [bundle.name for bundle in bundles]
    for name in names:
        if names.count(name) > 1:
            raise BadFile(f"two of the files are bundle {name!r}; give one of them a bundle: name")
    return bundles


def plan_files(app: App, paths: Sequence[str], wish: Wish) -> Plan:
    """What an apply of these files would change."""
    bundles = read_bundles(paths, calendars=_known_calendars(app))
    return app.store.read(lambda tx: compare(tx, bundles, wish, namespace=app.namespace))


def plan_first(paths: Sequence[str], wish: Wish, *, now: int, namespace: str) -> Plan:
    """The same for a store that is not there yet."""
    bundles = read_bundles(paths, calendars={})
    return make_plan(bundles, Stored(now=now), wish, seed=lambda name: seed_of(namespace, name))


def _known_calendars(app: App) -> dict[str, Calendar]:
    stored = app.store.read(lambda tx: calendars(tx, namespace=app.namespace))
    return {name: each.calendar for name, each in stored.items()}


def apply_files(app: App, paths: Sequence[str], wish: Wish, *, who: str | None = None) -> Plan:
    """Make it so, in one transaction; gives what was changed."""
    bundles = read_bundles(paths, calendars=_known_calendars(app))
    by = By(act_id=new_id(), who=who or whoami())
    return app.store.write(
        lambda tx: apply(
            tx,
            bundles,
            wish,
            namespace=app.namespace,
            by=by,
            timetables=app.schedules.timetables,
            new_id=new_id,
        )
    )
