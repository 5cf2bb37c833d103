"""Handles for job files: the changes they would make, and the changes themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rota.clock import to_datetime
from rota.engine.schedules.compiled import seed_of
from rota.errors import BadFile
from rota.handles.backend import Backend
from rota.model.jobs.apply_plan import Plan, Stored, Wish
from rota.operations.jobs.files import (
    FileBody,
    FilesBody,
    apply_files,
    bundles_of,
    plan_files,
)
from rota.rules.jobs.files.yaml12 import MAX_BYTES, decode
from rota.rules.jobs.plan import make_plan


class Files:
    """Job files of this machine; get it as `app.files` or `client.files`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def plan(self, paths: Sequence[str], wish: Wish | None = None) -> Plan:
        """Return the changes that an apply of these files would make."""
        return self._backend.call(plan_files, _body(paths, wish or Wish()))

    def apply(
        self, paths: Sequence[str], wish: Wish | None = None, *, who: str | None = None
    ) -> Plan:
        """Apply the files in one transaction; return the changes."""
        return self._backend.acting_as(who).call(apply_files, _body(paths, wish or Wish()))


def read_file(path: str) -> bytes:
    """Return the bytes of a file, few more than a job file may have; BadFile if unreadable."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from error


def plan_first(paths: Sequence[str], wish: Wish, *, now: int, namespace: str) -> Plan:
    """Plan an apply to a store that does not exist yet: everything is new."""
    bundles = bundles_of([(path, read_file(path)) for path in paths], calendars={})
    return make_plan(bundles, Stored(now=now), wish, seed=lambda name: seed_of(namespace, name))


def _body(paths: Sequence[str], wish: Wish) -> FilesBody:
    return FilesBody(
        files=[FileBody(name=path, text=decode(read_file(path), path)) for path in paths],
        prune=wish.prune,
        take_over=wish.take_over,
        since=None if wish.start is None else to_datetime(wish.start),
        horizon=f"{wish.horizon_ms}ms",
    )
