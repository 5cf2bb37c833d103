"""A stall: a worker whose claims fail again and again says so on record, for others to see."""

from __future__ import annotations

from typing import Any

from rota.engine.failures.batch_isolation import words
from rota.notices import emit
from rota.runtime.source import RunExchange

AGAIN = 2
"""One failure may be chance."""


class Stall:
    """Of one worker; noted when it begins and when it is over, and at no other time."""

    def __init__(self, runs: RunExchange[Any]) -> None:
        self._runs = runs
        self._failures = 0
        self._is_noted = False

    def met(self, error: Exception) -> None:
        """Its exchange with the source has failed, and not because the source is away."""
        self._failures += 1
        if self._failures >= AGAIN and not self._is_noted:
            self._is_noted = self._note(words(error))

    def over(self) -> None:
        """It has done one; costs nothing if that is nothing new."""
        if self._failures:
            self._failures = 0
            if self._is_noted:
                self._is_noted = not self._note(None)

    def _note(self, why: str | None) -> bool:
        try:
            self._runs.note_stall(why)
        except Exception as error:  # noqa: BLE001  # it is only told to people
            emit("stall.untold", worker=self._runs.worker_id, error=error)
            return False
        return True
