"""Who asks: a bearer token, or the cookie of a session with its CSRF token.

What the store said of a credential is believed for three seconds, so that a request costs no query
and a revoked token is refused everywhere within five.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from litestar.connection import ASGIConnection

from rota.api.doors import SAFE
from rota.api.house import HOUSE
from rota.api.refusals import Kind
from rota.clock import elapsed_s
from rota.engine.inspect import now_ms
from rota.engine.namespaces import HOME
from rota.engine.sessions import credential_of_session, touch_session
from rota.engine.tokens import credential_of_token, namespace_of_token, touch
from rota.errors import NotPermitted, NotSignedIn, StoreUnavailable, TooMany
from rota.model.identity import Credential
from rota.notices import emit
from rota.rules.secrets import csrf_of, digest_of
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.site import Site

BELIEVED_S = 3.0
MOST = 10_000
USES_S = 60.0
LONGEST = 512
CSRF = "x-csrf-token"

_LOCAL = re.compile(r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]):([0-9]{1,5})")

Connection = ASGIConnection[Any, Any, Any, Any]


class _Known(NamedTuple):
    credential: Credential
    until_s: float


class Identities:
    """Finds the credential behind a request."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._known: dict[tuple[str, str], _Known] = {}
        """By kind and digest: a session is no token, and a token no session."""
        self._used: set[str] = set()
        self._asking: dict[tuple[str, str], asyncio.Future[_Known]] = {}

    def cookie(self, connection: Connection) -> str:
        """With TLS browsers keep a cookie of this name to https and this very host.

        They tell servers of one machine apart by nothing, so those that are asked for by a port
        have names of their own: signing in to one must not sign out of another.
        """
        if self._site.options.is_secure:
            return "__Host-rota"
        asked = _LOCAL.fullmatch(connection.headers.get("host", ""))
        return f"rota-{asked[1]}" if asked else "rota"

    async def of(self, connection: Connection) -> Credential:
        """Whose request it is; NotSignedIn if nobody's that is known."""
        header = connection.headers.get("authorization", "")
        if header:
            scheme, _, secret = header.partition(" ")
            if scheme.lower() != "bearer" or not secret.strip():
                self._site.refusals.count("no-credential")
                raise NotSignedIn("the Authorization header is not `Bearer` and a token")
            return await self._known_by(secret.strip(), connection, self._token)
        secret = connection.cookies.get(self.cookie(connection), "")
        if not secret:
            self._site.refusals.count("no-credential")
            raise NotSignedIn("the request brings no credential")
        credential = await self._known_by(secret, connection, self._session)
        self._check_csrf(connection, secret)
        return credential

    def _check_csrf(self, connection: Connection, secret: str) -> None:
        """Changes must bring the session's own; a page that reads with another's is from before."""
        sent = connection.headers.get(CSRF)
        is_own = hmac.compare_digest((sent or "").encode(), csrf_of(secret).encode())
        if connection.scope.get("method") not in SAFE and not is_own:
            raise NotPermitted(
                "a change in a session needs the header X-CSRF-Token, as GET /api/v1/session "
                "tells it"
            )
        if sent is not None and not is_own:
            raise NotSignedIn("this browser has another session by now than the page that asks")

    def forget(self) -> None:
        """Ask the store again for each; something was revoked here."""
        self._known.clear()

    def check_patience(self, address: str) -> None:
        """TooMany after too many bad credentials from there."""
        most = self._site.options.failures
        at = "bad credential", _network_of(address)
        wait_s = self._site.buckets.wait_s(at, rate=most / 60, burst=most)
        if wait_s:
            raise TooMany("too many bad credentials from this address", retry_after_s=wait_s)

    def note_failure(self, address: str, kind: Kind, namespace: str = HOME) -> None:
        """A credential from there was bad."""
        most = self._site.options.failures
        at = "bad credential", _network_of(address)
        self._site.buckets.take(at, rate=most / 60, burst=most)
        self._site.refusals.count(kind, namespace)
        emit("api.denied", address=address)

    async def note_uses(self) -> None:
        """Now and then, for all together: when tokens were used is worth no write per request."""
        while True:
            await asyncio.sleep(USES_S)
            used, self._used = self._used, set()
            if not used:
                continue
            try:
                await self._site.write(partial(_note, token_ids=used), only=HOUSE)
            except (StoreUnavailable, TooMany):
                self._used |= used
            except Exception as error:  # noqa: BLE001  # the next round may do better
                emit("service.failed", service="rota-uses", error=error)

    async def _known_by(
        self, secret: str, connection: Connection, find: Callable[[Tx, str], Credential | None]
    ) -> Credential:
        digest = digest_of(secret[:LONGEST])
        known = self._known.get((find.__name__, digest))
        if known is None or known.until_s < elapsed_s():
            known = await self._ask_once(digest, connection, find)
        if not known.credential.is_session:
            self._used.add(known.credential.id)
        return known.credential

    async def _ask_once(
        self, digest: str, connection: Connection, find: Callable[[Tx, str], Credential | None]
    ) -> _Known:
        """Many requests of one client that come at once are one question."""
        at = find.__name__, digest
        asking = self._asking.get(at)
        if asking is None:
            asking = asyncio.ensure_future(self._ask(digest, connection, find))
            self._asking[at] = asking
            asking.add_done_callback(lambda _: self._asking.pop(at, None))
        return await asyncio.shield(asking)

    async def _ask(
        self, digest: str, connection: Connection, find: Callable[[Tx, str], Credential | None]
    ) -> _Known:
        address = address_of(connection)
        self.check_patience(address)
        found = await self._site.read(lambda tx: find(tx, digest), only=HOUSE)
        if found is None:
            self._known.pop((find.__name__, digest), None)
            raise await self._unknown(digest, address)
        if len(self._known) >= MOST:
            self._known.clear()
        known = _Known(found, elapsed_s() + BELIEVED_S)
        self._known[find.__name__, digest] = known
        return known

    async def _unknown(self, digest: str, address: str) -> NotSignedIn:
        """Who has the secret of a token that was good once may know that it is not any more."""
        whose = await self._site.read(lambda tx: namespace_of_token(tx, digest), only=HOUSE)
        if whose is None:
            self.note_failure(address, "unknown-credential")
            return NotSignedIn("the credential is unknown, or a session that has ended")
        self.note_failure(address, "ended-credential", whose)
        return NotSignedIn("the token was revoked or is past its time")

    @staticmethod
    def _token(tx: Tx, digest: str) -> Credential | None:
        return credential_of_token(tx, digest)

    def _session(self, tx: Tx, digest: str) -> Credential | None:
        found = credential_of_session(tx, digest)
        if found is None:
            return None
        credential, is_due = found
        if is_due:
            self._site.room(HOUSE).write(lambda tx: touch_session(tx, digest))
        return credential


def _network_of(address: str) -> str:
    """Whom bad credentials are counted for: with IPv6 everybody has 2**64 addresses."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))


def address_of(connection: Connection) -> str:
    """Where a request comes from; behind a proxy, as that one says."""
    client = connection.client
    return client.host if client else ""


def _note(tx: Tx, token_ids: set[str]) -> None:
    touch(tx, token_ids, used_at=now_ms(tx))
