"""The connection to a server: one request, sent until it is answered or patience is over.

Every change carries an Idempotency-Key, so a request that may have been carried out can be sent
again: the server repeats its first answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from rota.client.address import PREFIX, is_near
from rota.client.failures import Failed, failure
from rota.client.problems import error_of
from rota.clock import elapsed_s
from rota.errors import BadOption, BadUrl, CommitUnknown, NotSignedIn, RotaError
from rota.ids import new_id
from rota.model.view import decode
from rota.notices import emit
from rota.version import version

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

AGAIN = frozenset({408, 429, 502, 503, 504})
"""Statuses that another try a little later may change."""
DOUBTFUL = frozenset({502, 504})
"""Statuses of a proxy on the way, which does not know whether the request was carried out."""
FIRST_S = 0.1
LONGEST_S = 5.0
CONNECT_S = 5.0
REDIRECTS = range(300, 400)
TOLD = 3
"""The failure in a row, about half a second after the first, at which a notice is sent."""


class Call(NamedTuple):
    """One request, identical each time it is sent."""

    method: str
    path: str
    query: Mapping[str, str | list[str]]
    content: bytes | None = None
    key: str | None = None
    wait_s: float = 0.0
    """How long the server may wait on purpose."""
    headers: Mapping[str, str] = {}


class HttpTransport:
    """Connections to one server, kept open and shared by all threads."""

    def __init__(
        self, url: str, token: str | None, *, timeout_s: float, patience_s: float, verify: Any
    ) -> None:
        self.url = url
        self._token = token
        self._timeout_s = timeout_s
        self._patience_s = patience_s
        self._verify = verify
        self._opening = Lock()
        self._http: httpx2.Client | None = None

    def ask(self, call: Call, kind: type[T]) -> T:
        """Send a request until it is answered, and read the answer."""
        return self._read(self._send(call), kind)

    def get(
        self,
        path: str,
        kind: type[T],
        query: Mapping[str, str | int | None] | None = None,
        *,
        wait_s: float = 0.0,
    ) -> T:
        """Read; a query parameter that is None is left out."""
        params = {name: str(value) for name, value in (query or {}).items() if value is not None}
        return self._read(self._send(Call("GET", path, params, wait_s=wait_s)), kind)

    def post(self, path: str, kind: type[T], body: bytes | Mapping[str, Any] | None = None) -> T:
        """Make a change, once."""
        content = msgspec.json.encode(body) if isinstance(body, Mapping) else body
        return self._read(self._send(Call("POST", path, {}, content, new_id())), kind)

    def put(self, path: str, kind: type[T], body: Mapping[str, Any]) -> T:
        """Put a definition, once."""
        call = Call("PUT", path, {}, msgspec.json.encode(body), new_id())
        return self._read(self._send(call), kind)

    def delete(self, path: str, kind: type[T]) -> T:
        """Delete, once."""
        return self._read(self._send(Call("DELETE", path, {}, None, new_id())), kind)

    def say(self, path: str, kind: type[T], body: object, *, wait_s: float = 0.0) -> T:
        """Send a message that does no harm when it arrives twice: one try, without a key."""
        query = {"wait": f"{round(wait_s * 1000)}ms"} if wait_s else {}
        answer = self._try(Call("POST", path, query, msgspec.json.encode(body), wait_s=wait_s))
        if isinstance(answer, Failed):
            raise answer.error
        return self._read(answer, kind)

    def close(self) -> None:
        """Close all connections; the next request opens one again."""
        with self._opening:
            if self._http is not None:
                self._http.close()
                self._http = None

    def _send(self, call: Call) -> bytes:
        end_s = elapsed_s() + self._patience_s
        is_doubtful = False
        turn = 0
        while True:
            answer = self._try(call)
            if isinstance(answer, bytes):
                return answer
            is_doubtful |= answer.is_doubtful
            if answer.is_final:
                raise self._given_up(call, answer.error, is_doubtful=is_doubtful)
            most_s = min(LONGEST_S, FIRST_S * 2**turn)
            rest_s = answer.rest_s + random.uniform(0.0, most_s)
            if elapsed_s() + rest_s > end_s:
                raise self._given_up(call, answer.error, is_doubtful=is_doubtful)
            if turn == TOLD:
                left_ms = round((end_s - elapsed_s()) * 1000)
                emit("server.unavailable", url=self.url, error=answer.error, patience_ms=left_ms)
            time.sleep(rest_s)
            turn += 1

    def _try(self, call: Call) -> bytes | Failed:
        import httpx2  # noqa: PLC0415  # takes a while, and only those need it who have a server

        headers = dict(call.headers)
        if call.key is not None:
            headers["Idempotency-Key"] = call.key
        if call.content is not None:
            headers["Content-Type"] = "application/json"
        patience = httpx2.Timeout(
            self._timeout_s + call.wait_s, connect=min(CONNECT_S, self._timeout_s)
        )
        try:
            answer = self._opened().request(
                call.method,
                f"{self.url}{PREFIX}{call.path}",
                params=call.query or None,
                content=call.content,
                headers=headers,
                timeout=patience,
            )
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return failure(error, self.url)
        return self._judge(answer)

    def _judge(self, answer: httpx2.Response) -> bytes | Failed:
        if answer.is_success:
            return answer.content
        status = answer.status_code
        if status in REDIRECTS:
            where = answer.headers.get("location", "elsewhere")
            raise BadUrl(f"{self.url} points to {where!r:.140}; give the address of the server")
        rest_s = _seconds(answer.headers.get("retry-after"))
        error = error_of(status, answer.content, url=self.url, retry_after_s=rest_s)
        if isinstance(error, NotSignedIn) and not self._token:
            raise NotSignedIn(
                f"no token was given for {self.url}; set ROTA_TOKEN, or token_file in rota.toml"
            )
        if isinstance(error, NotSignedIn):
            raise NotSignedIn(
                f"{self.url} does not accept the token: {error}; make another with `rota tokens "
                "create`, or have it made, and give it as ROTA_TOKEN or token_file in rota.toml"
            )
        if status not in AGAIN:
            raise error
        is_doubtful = status in DOUBTFUL or isinstance(error, CommitUnknown)
        return Failed(error, is_doubtful, rest_s or 0.0)

    def _opened(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415

        with self._opening:
            if self._http is None:
                headers = {"User-Agent": f"rota/{version()}", "Accept": "application/json"}
                if self._token:
                    headers["Authorization"] = f"Bearer {self._token}"
                try:
                    self._http = httpx2.Client(
                        headers=headers,
                        verify=self._verify,
                        limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16),
                        follow_redirects=False,  # a token must not follow one to somebody else
                        trust_env=not is_near(self.url),  # nor go to a proxy on its way to here
                    )
                except (ImportError, ValueError, OSError) as error:
                    raise BadOption(
                        f"HTTP_PROXY, HTTPS_PROXY, ALL_PROXY or SSL_CERT_FILE: {error}"
                    ) from error
            return self._http

    def _given_up(self, call: Call, error: RotaError, *, is_doubtful: bool) -> RotaError:
        if is_doubtful and call.key is not None:
            return CommitUnknown(
                f"{call.method} {call.path} was sent to {self.url} and may have been carried "
                f"out; no answer tells ({error})"
            )
        return error

    def _read(self, content: bytes, kind: type[T]) -> T:
        try:
            return decode(content, kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadUrl(
                f"the answer of {self.url} is none that Rota {version()} can read: {error}; is "
                "that the address of a server, and not of a much older or newer version?"
            ) from error


def _seconds(text: str | None) -> float | None:
    """Return the seconds of Retry-After; None for a date, for which the usual backoff applies."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        return None
