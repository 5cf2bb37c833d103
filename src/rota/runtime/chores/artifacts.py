"""The sweeper: removes large values that no run, node or cached result refers to any more."""

from __future__ import annotations

from collections.abc import Sequence

from rota.clock import to_datetime
from rota.engine.prune import Retention
from rota.engine.runs.find import now_ms
from rota.engine.values.artifacts import DAY_MS, mentioned, old_pointers, sweep_kept
from rota.model.values.artifact import Pointer
from rota.notices import emit
from rota.runtime.chores.lifecycle import Chore
from rota.runtime.values.backends import ArtifactBackend
from rota.store.base import Store

PAGE = 500


class Sweeper(Chore):
    """Checks values that are older than the retention of ended runs, and at least a day old.

    It checks whole days in the artifact store: nothing is written to a day that is over, so that no
    new reference to a value can appear while it is removed.
    """

    interval_s = 6 * 3600.0
    chore = "sweep"

    def __init__(
        self, store: Store, retention: Retention, artifacts: ArtifactBackend | None
    ) -> None:
        super().__init__(store)
        self._keep_ms = max(DAY_MS, min(retention.success_ms, retention.failure_ms))
        self._artifacts = artifacts

    def batch(self) -> bool:
        removed = self._sweep_database()
        if self._artifacts is not None:
            try:
                removed += self._sweep_days(self._artifacts)
            except OSError as error:  # tried again in some hours
                emit("artifact.unavailable", where=self._artifacts.where, error=error)
        if removed:
            emit("artifacts.swept", count=removed)
        return False

    def _sweep_database(self) -> int:
        removed, after = 0, ""
        keep_ms = self._keep_ms
        while page := self._store.read(
            lambda tx, after=after: old_pointers(tx, keep_ms=keep_ms, after=after)  # type: ignore[misc]
        ):
            removed += self._store.write(
                lambda tx, page=page: sweep_kept(tx, page, keep_ms=keep_ms)  # type: ignore[misc]
            )
            after = page[-1].digest
        return removed

    def _sweep_days(self, artifacts: ArtifactBackend) -> int:
        # One day more: a pointer made just before midnight may not be written yet.
        oldest = self._store.read(now_ms) - self._keep_ms - DAY_MS
        first_kept = to_datetime(oldest).date().isoformat()
        removed = 0
        for day in artifacts.days():
            if day < first_kept:
                for digests in artifacts.digests(day):
                    removed += self._sweep_page(artifacts, day, digests)
        return removed

    def _sweep_page(self, artifacts: ArtifactBackend, day: str, digests: Sequence[str]) -> int:
        removed = 0
        for at in range(0, len(digests), PAGE):
            page = {str(Pointer("a", digest, day)): digest for digest in digests[at : at + PAGE]}
            stands = self._store.read(lambda tx, page=page: mentioned(tx, page))  # type: ignore[misc]
            unused = [digest for pointer, digest in page.items() if pointer not in stands]
            artifacts.delete(day, unused)
            removed += len(unused)
        return removed
