"""The identity behind a request: a bearer token, or a session cookie with its CSRF token.

An answer of the store about a credential is cached for three seconds. So a request costs no query,
and a revoked token is refused everywhere within five seconds.
"""

from __future__ import annotations

import asyncio
import hmac
import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from litestar.connection import ASGIConnection

from rota.api.identity.credential_lookups import CredentialLookups, Find
from rota.api.identity.guess_reports import GuessReports
from rota.api.identity.login_throttle import LoginThrottle
from rota.api.identity.row_scope import HOUSE
from rota.api.identity.security_events import Kind
from rota.api.server.edge import SAFE
from rota.clock import elapsed_s
from rota.engine.identity.namespaces import HOME
from rota.engine.identity.sessions import credential_of_session, credential_of_ticket, touch_session
from rota.engine.identity.tokens import credential_of_token, namespace_of_token, touch
from rota.engine.runs.find import now_ms
from rota.errors import NotPermitted, NotSignedIn, StoreUnavailable, TooMany
from rota.ids import is_id
from rota.model.identity.credentials import Credential
from rota.notices import emit
from rota.rules.security.secrets import csrf_of, digest_of
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

BELIEVED_S = 3.0
BAD_S = 10.0
"""How long an unknown credential is refused without another lookup."""
GOOD_S = 3_600.0
"""How long after its last success a credential is not counted as a guess at itself."""
MOST = 10_000
USES_S = 60.0
LONGEST = 512
CSRF = "x-csrf-token"

_LOCAL = re.compile(r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]):([0-9]{1,5})")

Connection = ASGIConnection[Any, Any, Any, Any]
K = TypeVar("K")
V = TypeVar("V")


class _Known(NamedTuple):
    credential: Credential
    until_s: float


class Identities:
    """Finds the credential behind a request."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._known: dict[tuple[str, str], _Known] = {}
        """Known credentials by kind and digest: a session is no token, and a token no session."""
        self._used: set[str] = set()
        self._asking: dict[tuple[str, str], asyncio.Future[_Known | None]] = {}
        self._bad: dict[tuple[str, str], float] = {}
        """Until when an unknown credential is refused without a lookup, by kind and digest."""
        self._was_good: dict[str, float] = {}
        """Until when a digest may be looked up whatever its address has tried."""
        self._lookups = CredentialLookups(server_state)
        self.patience = LoginThrottle(server_state.options.failures)
        self.guesses = GuessReports(server_state)

    def cookie(self, connection: Connection) -> str:
        """The name of the session cookie.

        With TLS, browsers keep a cookie of this name to https and to this very host. Browsers do
        not tell apart the servers of one machine, so a server that is addressed by a port has a
        cookie name of its own: signing in to one server must not sign out of another.
        """
        if self._server_state.options.is_secure:
            return "__Host-rota"
        local_host = _LOCAL.fullmatch(connection.headers.get("host", ""))
        return f"rota-{local_host[1]}" if local_host else "rota"

    async def of(self, connection: Connection) -> Credential:
        """Return the credential of a request; NotSignedIn if it brings no known credential."""
        header = connection.headers.get("authorization", "")
        if header:
            scheme, _, secret = header.partition(" ")
            if scheme.lower() != "bearer" or not secret.strip():
                self._server_state.refusals.count("no-credential")
                raise NotSignedIn("the Authorization header is not `Bearer` and a token")
            return await self._known_by(secret.strip(), connection, self._token)
        secret = connection.cookies.get(self.cookie(connection), "")
        if not secret:
            self._server_state.refusals.count("no-credential")
            raise NotSignedIn("the request brings no credential")
        credential = await self._known_by(secret, connection, self._session)
        self._check_csrf(connection, secret)
        return credential

    def _check_csrf(self, connection: Connection, secret: str) -> None:
        """Check that a change brings the CSRF token of the session.

        A page that reads with the token of another session was loaded before this session began.
        """
        header = connection.headers.get(CSRF)
        is_own = hmac.compare_digest((header or "").encode(), csrf_of(secret).encode())
        if connection.scope.get("method") not in SAFE and not is_own:
            raise NotPermitted(
                "a change in a session needs the header X-CSRF-Token, as GET /api/v1/session "
                "tells it"
            )
        if header is not None and not is_own:
            raise NotSignedIn("this browser has another session by now than the page that asks")

    def forget(self) -> None:
        """Drop all cached credentials, because one was revoked on this server."""
        self._known.clear()
        self._bad.clear()

    def check_patience(self, address: str, secret: str) -> None:
        """TooMany after too many bad credentials from this address that begin as this one does."""
        if self._was_good.get(digest_of(secret[:LONGEST]), 0.0) < elapsed_s():
            with self.guesses.reported(address):
                self.patience.check(address, secret)

    def note_failure(
        self, address: str, kind: Kind, secret: str = "", namespace: str = HOME
    ) -> None:
        """Count a bad credential of this address; TooMany if there were too many."""
        self._server_state.refusals.count(kind, namespace)
        with self.guesses.reported(address):
            self.patience.fail(address, secret)
        emit("api.denied", address=address)

    async def find_token(self, secret: str) -> Credential | None:
        """Return the credential of a token, as the store has it now."""
        return await self._lookups.find(self._token, digest_of(secret))

    async def find_ticket(self, secret: str) -> Credential | None:
        """Return the credential of a ticket without using the ticket up."""
        return await self._lookups.find(credential_of_ticket, digest_of(secret))

    async def note_uses(self) -> None:
        """Record from time to time which tokens were used: not with a write for each request."""
        while True:
            await asyncio.sleep(USES_S)
            used, self._used = self._used, set()
            if not used:
                continue
            try:
                await self._server_state.write(partial(_note, token_ids=used), only=HOUSE)
            except (StoreUnavailable, TooMany):
                self._used |= used
            except Exception as error:  # noqa: BLE001  # the next round may do better
                emit("service.failed", service="rota-uses", error=error)

    async def _known_by(self, secret: str, connection: Connection, find: Find) -> Credential:
        digest = digest_of(secret[:LONGEST])
        cached = self._known.get((find.__name__, digest))
        if cached is None or cached.until_s < elapsed_s():
            self.check_patience(address_of(connection), secret)
            cached = await self._ask_once(digest, secret, connection, find)
        if not cached.credential.is_session:
            self._used.add(cached.credential.id)
        return cached.credential

    async def _ask_once(
        self, digest: str, secret: str, connection: Connection, find: Find
    ) -> _Known:
        """Look a credential up once, however many requests of one client bring it at once."""
        at = find.__name__, digest
        if self._bad.get(at, 0.0) > elapsed_s():
            self.note_failure(address_of(connection), "unknown-credential", secret)
            raise NotSignedIn("the credential is unknown, or it has ended")
        asking = self._asking.get(at)
        if asking is None:
            asking = asyncio.ensure_future(self._ask(digest, find))
            self._asking[at] = asking
            asking.add_done_callback(lambda _: self._asking.pop(at, None))
        cached = await asyncio.shield(asking)
        if cached is None:
            raise await self._unknown(digest, secret, address_of(connection))
        return cached

    async def _ask(self, digest: str, find: Find) -> _Known | None:
        at = find.__name__, digest
        credential = await self._lookups.find(find, digest)
        now_s = elapsed_s()
        if credential is None:
            self._known.pop(at, None)
            self._was_good.pop(digest, None)
            remember(self._bad, at, now_s + BAD_S)
            return None
        cached = _Known(credential, now_s + BELIEVED_S)
        remember(self._known, at, cached)
        remember(self._was_good, digest, now_s + GOOD_S)
        return cached

    async def _unknown(self, digest: str, secret: str, address: str) -> NotSignedIn:
        """Return the error for an unknown credential; the owner of an ended token learns why."""
        whose = await self._lookups.find(namespace_of_token, digest)
        if whose is None:
            self.note_failure(address, "unknown-credential", secret)
            return NotSignedIn("the credential is unknown, or a session that has ended")
        self.note_failure(address, "ended-credential", secret, whose)
        return NotSignedIn("the token was revoked or is past its time")

    @staticmethod
    def _token(tx: Tx, digest: str) -> Credential | None:
        return credential_of_token(tx, digest)

    def _session(self, tx: Tx, digest: str) -> Credential | None:
        session = credential_of_session(tx, digest)
        if session is None:
            return None
        credential, is_due = session
        if is_due:
            self._server_state.room(HOUSE).write(lambda tx: touch_session(tx, digest))
            if is_id(credential.id):  # of the token that it was opened with
                self._used.add(credential.id)
        return credential


def remember(cache: dict[K, V], key: K, value: V) -> None:
    """Add an entry to a bounded mapping; the oldest entries are dropped."""
    cache.pop(key, None)
    if len(cache) >= MOST:
        for old in list(islice(cache, MOST // 10)):
            del cache[old]
    cache[key] = value


def address_of(connection: Connection) -> str:
    """Return the address that a request comes from; behind a proxy, the address the proxy names."""
    client = connection.client
    return client.host if client else ""


def _note(tx: Tx, token_ids: set[str]) -> None:
    touch(tx, token_ids, used_at=now_ms(tx))
