"""The one loop: do a batch, see whether there is more, sleep until woken."""

from __future__ import annotations

import random
from threading import Event, Thread

from rota.clock import elapsed_s
from rota.errors import StoreLost, StoreUnavailable
from rota.notices import emit, emit_rarely, tell_again
from rota.runtime.outage import Outage

LONGEST_REST_S = 2.0
"""The longest rest after failures; queries cost nothing in an outage, as the dialer rests too."""


class Service:
    """A loop that does one batch at a time, can be woken early, and stops once.

    Subclasses write `tick` only. It returns True when its batch was full, so that the loop goes
    round again at once instead of sleeping on a backlog.
    """

    interval_s = 1.0
    hears = ""
    """The wake-up that this service listens to, if any."""

    def __init__(self) -> None:
        self.name = f"rota-{type(self).__name__.lower()}"
        self.outage = Outage()
        self._wake = Event()
        self._stopping = False
        self.failures = 0
        """The number of failed ticks since the last one that worked."""
        self._is_broken = False
        self._thread: Thread | None = None

    def tick(self) -> bool:
        """Do one bounded batch; True when there may be more to do right now."""
        raise NotImplementedError

    def pause_s(self) -> float:
        """Return how long to sleep when there is nothing to do, with jitter against herds."""
        return self.interval_s * random.uniform(0.8, 1.2)

    def start(self) -> None:
        self._thread = Thread(target=self.run, name=self.name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Tick soon; a wake-up may be early but is never lost."""
        if not self._wake.is_set():
            self._wake.set()

    def stop(self) -> None:
        """Ask the loop to end after the tick it is in, and wait for it."""
        self._stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def run(self) -> None:
        while not self._stopping:
            # Cleared before the tick: a change during it wakes us again.
            self._wake.clear()
            if not self._try_tick():
                self._rest()

    def _rest(self) -> None:
        """Sleep until woken; after a failure of our own, sleep for the whole rest.

        Otherwise each wake-up by others would be another try, hundreds a second.
        """
        end_s = elapsed_s() + self._rest_s()
        while not self._stopping and (left_s := end_s - elapsed_s()) > 0:
            if self._wake.wait(left_s) and not self._is_broken:
                return
            self._wake.clear()

    def _rest_s(self) -> float:
        if not self.failures:
            return self.pause_s()
        return random.uniform(0.5, 1.0) * min(LONGEST_REST_S, 0.1 * 2.0**self.failures)

    def _try_tick(self) -> bool:
        try:
            more = self.tick()
        except StoreUnavailable as error:
            self.failures += 1
            if isinstance(error, StoreLost):
                self.outage.lose(error)
            else:
                self.outage.begin(self.name, str(error))
            return False
        except Exception as error:  # noqa: BLE001  # a service must outlive any one batch
            self.failures += 1
            self._is_broken = True
            emit_rarely("service.failed", self.name, service=self.name, error=error)
            return False
        if self.failures:
            self._recovered()
        return more

    def _recovered(self) -> None:
        if self._is_broken:
            emit("service.recovered", service=self.name, failures=self.failures)
            tell_again("service.failed", self.name)
        self.failures = 0
        self._is_broken = False
        self.outage.end(self.name)
