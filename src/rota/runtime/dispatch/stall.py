"""A stall: a worker whose claims fail again and again says so on record, for others to see."""

from __future__ import annotations

from rota.engine.failures.batch_isolation import words
from rota.engine.workers.registry import note_stall
from rota.notices import emit
from rota.store.base import Store

AGAIN = 2
"""One failure may be chance."""


class Stall:
    """Of one worker; written when it begins and when it is over, and at no other time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._failures = 0
        self._is_noted = False

    def met(self, worker_id: str, error: Exception) -> None:
        """Its round with the store has failed, and not because the store is away."""
        self._failures += 1
        if self._failures >= AGAIN and not self._is_noted:
            self._is_noted = self._write(worker_id, words(error))

    def over(self, worker_id: str) -> None:
        """It has done one; costs nothing if that is nothing new."""
        if self._failures:
            self._failures = 0
            if self._is_noted:
                self._is_noted = not self._write(worker_id, None)

    def _write(self, worker_id: str, why: str | None) -> bool:
        try:
            self._store.write(lambda tx: note_stall(tx, worker_id, why), lone=True)
        except Exception as error:  # noqa: BLE001  # it is only told to people
            emit("stall.untold", worker=worker_id, error=error)
            return False
        return True
