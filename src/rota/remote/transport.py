"""How a worker talks to its server: one request at a time for each thread, none sent twice here.

What is told to a server does no harm when it is told twice: who asks tries again in its own time.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from rota.client.line import Line
from rota.clock import elapsed_s
from rota.errors import NotSignedIn, ServerUnavailable, TooMany

T = TypeVar("T")

REFUSED_S = 15.0
"""A token that is refused is not shown again at once: the server counts bad credentials."""


class Understood(NamedTuple):
    """What a server said at registration that it understands; one of 0.1.0 says nothing."""

    begins: bool = False
    """It may be told when handlers began, and what is claimed ahead."""
    takes: bool = False
    """It may be told what functions take, and which runs do not fit them."""
    strays: bool = False
    """It leaves it to the worker to give back what that does not know."""


class ServerTransport:
    """Says things for one worker; from any thread."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.worker_id = ""
        self.understands = Understood()
        self._refused: tuple[float, str] | None = None

    def say(self, verb: str, kind: type[T], body: object, *, wait_s: float = 0.0) -> T:
        """An outage, whatever the cause, is ServerUnavailable: it may be over later."""
        if self._refused is not None and elapsed_s() < self._refused[0]:
            raise ServerUnavailable(self._refused[1])
        path = f"/worker/{self.worker_id}/{verb}"
        try:
            answer = self.line.say(path, kind, body, wait_s=wait_s)
        except TooMany as error:
            raise ServerUnavailable(str(error)) from error
        except NotSignedIn as error:
            said = str(error)
            self._refused = elapsed_s() + REFUSED_S, said
            raise ServerUnavailable(said) from error
        self._refused = None
        return answer
