"""Gives back runs that a worker claimed ahead and has no slot for.

It also reports to the store which of them got a slot and last. Its thread sleeps while nothing is
held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakSet

from rota.clock import elapsed_s
from rota.model.runs.run import Begun
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.dispatch.prefetch import BUSY_S, Prefetch
from rota.runtime.service import Service

LOOK_S = BUSY_S / 2
LINGER_S = 1.0
"""How long it keeps looking after nothing is held: being woken costs more than a few looks."""

Tell = Callable[[Sequence[Begun]], None]
"""Puts on record that these runs have begun; raises StoreUnavailable."""


class PrefetchReturn(Service):
    """Looks every 25 ms while runs that were claimed ahead are held."""

    interval_s = 30.0

    def __init__(self, calls: AttemptTable, reserve: Prefetch, *, slots: int, tell: Tell) -> None:
        super().__init__()
        self._calls = calls
        self._reserve = reserve
        self._slots = slots
        self._tell = tell
        self._looks = False
        self._linger_until_s = 0.0
        self._told: WeakSet[Attempt] = WeakSet()
        """Attempts whose begin is on record in the store."""

    def watch(self) -> None:
        """Start looking: a run was claimed ahead."""
        if not self._looks:
            self._looks = True
            self.wake()

    def recall(self) -> None:
        """Give back what has not begun: it may no longer be allowed to begin."""
        calls = self._calls.everything()
        if any(call.lease.is_held and call.started_s is None for call in calls):
            self._give_back()

    def tick(self) -> bool:
        # Cleared before we look: a run claimed meanwhile wakes us.
        self._looks = False
        now_s = elapsed_s()
        open_calls = [call for call in self._calls.everything() if not call.has_ended]
        reported = self._told if len(self._told) else ()  # a WeakSet is as slow as the rest
        ahead = [call for call in open_calls if call.lease.is_held and call not in reported]
        not_begun = [call for call in ahead if call.started_s is None]
        if ahead:
            self._linger_until_s = now_s + LINGER_S
        self._looks = now_s < self._linger_until_s
        if not_begun and len(open_calls) > self._slots and self._reserve.is_hoard(not_begun, now_s):
            self._give_back()
        lasting = [call for call in ahead if now_s - (call.started_s or now_s) > BUSY_S]
        if lasting:
            self._tell([Begun(*call.key, call.held_ms) for call in lasting])
            self._told.update(lasting)
        return False

    def pause_s(self) -> float:
        return LOOK_S if self._looks else super().pause_s()

    def _give_back(self) -> None:
        self._reserve.gave_back(elapsed_s())
        self._calls.give_back()
