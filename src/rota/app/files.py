"""Job files and a store: what they would change, and the change itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.apply import apply, compare
from rota.engine.schedules.compiled import seed_of
from rota.errors import BadFile
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.bundle import Bundle
from rota.model.plan import Plan, Stored, Wish
from rota.model.schedule import Calendar
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.jobs.plan import make_plan

if TYPE_CHECKING:
    from rota.app.app import App


def read_file(path: str) -> bytes:
    """The bytes of a file, not many more than a job file may have; BadFile when it has none."""
    from rota.rules.jobs.files.yaml12 import MAX_BYTES  # noqa: PLC0415  # as in bundles_of

    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from error


def read_bundles(paths: Sequence[str], *, calendars: Mapping[str, Calendar]) -> list[Bundle]:
    """What the files define; they may name these calendars."""
    return bundles_of([(path, read_file(path)) for path in paths], calendars=calendars)


def bundles_of(
    files: Sequence[tuple[str, bytes]], *, calendars: Mapping[str, Calendar]
) -> list[Bundle]:
    """Parse job files whose contents the caller has read; `files` are names and bytes."""
    from rota.rules.jobs.files.read import read_bundle  # noqa: PLC0415  # few processes need YAML

    bundles = [read_bundle(data, name, calendars=calendars) for name, data in files]
    names = [bundle.name for bundle in bundles]
    for name in names:
        if names.count(name) > 1:
            raise BadFile(f"two of the files are bundle {name!r}; give one of them a bundle: name")
    return bundles


class Files:
    """Job files and the store of one app; get it as `app.files`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def plan(self, paths: Sequence[str], wish: Wish | None = None) -> Plan:
        """What an apply of these files would change."""
        bundles = read_bundles(paths, calendars=self._calendars())
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: compare(tx, bundles, wish or Wish(), namespace=namespace)
        )

    def apply(
        self, paths: Sequence[str], wish: Wish | None = None, *, who: str | None = None
    ) -> Plan:
        """Make it so, in one transaction; gives what was changed."""
        bundles = read_bundles(paths, calendars=self._calendars())
        app, by = self._app, Actor(act_id=new_id(), who=who or whoami())
        return app.store.write(
            lambda tx: apply(
                tx,
                bundles,
                wish or Wish(),
                namespace=app.namespace,
                by=by,
                compiled=compiled_schedules(),
                new_id=new_id,
            )
        )

    def _calendars(self) -> dict[str, Calendar]:
        return {name: each.calendar for name, each in self._app.calendars.list().items()}


def plan_first(paths: Sequence[str], wish: Wish, *, now: int, namespace: str) -> Plan:
    """Plan an apply to a store that does not exist yet: everything is new."""
    bundles = read_bundles(paths, calendars={})
    return make_plan(bundles, Stored(now=now), wish, seed=lambda name: seed_of(namespace, name))
