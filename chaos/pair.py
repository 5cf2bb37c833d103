"""A primary and its synchronous standby: one dies, the other takes over, a new standby is made.

Both keep their ports, so an address with both of them stays valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from threading import Thread

from tests.support.postgres import PostgresServer
from tests.support.standby import PRIMARY, Standby, multi_host_url


class Pair:
    """A primary and a standby: `with ExitStack() as stack: Pair(stack, settings)`.

    `primary` is the one to write to.
    """

    def __init__(self, stack: ExitStack, settings: Mapping[str, str]) -> None:
        first = PostgresServer(fsync=True, settings=PRIMARY | dict(settings))
        self.primary: PostgresServer = stack.enter_context(first)
        self.standby = Standby(self.primary)
        stack.callback(self._close)
        self.standby.__enter__()
        self._is_silent = False
        self._maker: Thread | None = None
        self._mishap: BaseException | None = None

    def address(self, database: str) -> str:
        """Return the address of both servers; it leads to the writable one."""
        return multi_host_url(self.primary, self.standby, database=database)

    @property
    def is_whole(self) -> bool:
        """Whether a standby answers, so that a failover loses nothing."""
        if self._mishap is not None:
            raise RuntimeError("no new standby could be made") from self._mishap
        is_made = self._maker is None or not self._maker.is_alive()
        return is_made and not self._is_silent and self.standby.follows()

    def silence(self) -> None:
        """Stop the standby; commits hang until `speak`."""
        self._is_silent = True
        self.standby.pause()

    def speak(self) -> None:
        self.standby.resume()
        self._is_silent = False

    def fail_over(self) -> None:
        """KILL the primary and promote the standby; returns when that is writable.

        A new standby is made in the background, on the port of the dead one.
        """
        dead, heir = self.primary, self.standby
        dead.kill()
        self.speak()
        heir.promote()
        self.primary = heir
        self._maker = Thread(target=self._make_standby, args=(dead,), daemon=True)
        self._maker.start()

    def _make_standby(self, dead: PostgresServer) -> None:
        try:
            dead.close()
            self.standby = Standby(self.primary, port=dead.port)
            self.standby.__enter__()
        except BaseException as error:  # noqa: BLE001  # told by whoever waits for it
            self._mishap = error

    def _close(self) -> None:
        if self._maker is not None:
            self._maker.join()
        self.standby.resume()
        self.standby.close()
        self.primary.close()
