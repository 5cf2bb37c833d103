"""The transport of a worker to its server: one request at a time per thread, without retries.

Everything sent may be sent twice without harm; callers retry when it suits them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from rota.client.line import HttpTransport
from rota.clock import elapsed_s
from rota.errors import NotSignedIn, ServerUnavailable, TooMany

T = TypeVar("T")

REFUSED_S = 15.0
"""How long a refused token is not sent again: the server counts bad credentials."""


class Understood(NamedTuple):
    """Features that the server announced at registration; 0.1.0 announces none."""

    begins: bool = False
    """The server accepts when handlers began, and which runs are claimed ahead."""
    takes: bool = False
    """The server accepts what functions take, and which runs do not fit them."""
    strays: bool = False
    """The server leaves it to the worker to give back runs that the worker does not know."""


class ServerTransport:
    """Sends requests for one worker; safe in any thread."""

    def __init__(self, line: HttpTransport) -> None:
        self.line = line
        self.worker_id = ""
        self.understands = Understood()
        self._refused: tuple[float, str] | None = None

    def say(self, verb: str, kind: type[T], body: object, *, wait_s: float = 0.0) -> T:
        """Send a request; any outage raises ServerUnavailable, as it may be over later."""
        if self._refused is not None and elapsed_s() < self._refused[0]:
            raise ServerUnavailable(self._refused[1])
        path = f"/worker/{self.worker_id}/{verb}"
        try:
            answer = self.line.say(path, kind, body, wait_s=wait_s)
        except TooMany as error:
            raise ServerUnavailable(str(error)) from error
        except NotSignedIn as error:
            message = str(error)
            self._refused = elapsed_s() + REFUSED_S, message
            raise ServerUnavailable(message) from error
        self._refused = None
        return answer
