"""The label sweeper: removes the labels of runs that retention has removed."""

from __future__ import annotations

from rota.engine.prune import Retention
from rota.engine.runs.find import now_ms
from rota.engine.runs.search.labels import LabelledPage, forget_labels, labels_without_runs
from rota.ids import first_id
from rota.notices import emit
from rota.runtime.chores.lifecycle import Chore
from rota.store.base import Store, Tx

PAGE = 1_000


class LabelSweeper(Chore):
    """Looks at all labelled runs that are older than the shortest retention.

    The days of history go as a whole on PostgreSQL, so nothing says which runs went with them. Only
    reads look for them; a write removes the labels of those that are gone.
    """

    interval_s = 6 * 3600.0
    chore = "sweep labels"

    def __init__(self, store: Store, retention: Retention) -> None:
        super().__init__(store)
        self._keep_ms = min(retention.success_ms, retention.failure_ms)

    def batch(self) -> bool:
        removed, after = 0, first_id(0)
        while not self._stopping:
            page = self._look(after)
            if page.last is None:
                break
            after = page.last
            if page.gone:
                removed += self.write(lambda tx, page=page: forget_labels(tx, page.gone))  # type: ignore[misc]
        if removed:
            emit("labels.swept", count=removed)
        return False

    def _look(self, after: str) -> LabelledPage:
        def look(tx: Tx) -> LabelledPage:
            older = now_ms(tx) - self._keep_ms
            return labels_without_runs(tx, after=after, older_than_ms=older, limit=PAGE)

        return self._store.read(look)
