"""A stall: a worker whose claims fail again and again records that, for others to see."""

from __future__ import annotations

from typing import Any

from rota.engine.failures.batch_isolation import words
from rota.notices import emit
from rota.runtime.source import RunExchange

AGAIN = 2
"""How many failures make a stall: one may be chance."""


class Stall:
    """The stall of one worker; recorded only when it begins and when it is over."""

    def __init__(self, runs: RunExchange[Any]) -> None:
        self._runs = runs
        self._failures = 0
        self._is_noted = False

    def met(self, error: Exception) -> None:
        """Count a failed exchange, other than because the source is away."""
        self._failures += 1
        if self._failures >= AGAIN and not self._is_noted:
            self._is_noted = self._note(words(error))

    def over(self) -> None:
        """Note an exchange that worked; costs nothing after another one that worked."""
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
