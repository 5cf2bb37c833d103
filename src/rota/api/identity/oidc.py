"""The identity provider: where to send people, and which person returns with a code.

Authorization code flow with PKCE, state and nonce. All three are derived from one secret that only
the browser keeps, in a cookie: any server can finish a flow that another one began, and nothing is
stored.
"""

from __future__ import annotations

import hashlib
import hmac
from asyncio import Semaphore
from collections.abc import Mapping
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import msgspec

from rota.api.identity.oidc_options import OidcOptions
from rota.clock import elapsed_s
from rota.errors import NotPermitted, NotSignedIn
from rota.model.identity.credentials import PEOPLE, Role
from rota.rules.security.secrets import digest_of
from rota.url_text import to_url_text

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "Ed25519"]
"""Signatures with public keys only: a client secret, or no key at all, cannot make one."""
KNOWN_S = 3600.0
"""How long the addresses and keys of a provider are cached."""
AGAIN_S = 30.0
"""The shortest time between two fetches of the keys because of an unknown key."""
LEEWAY_S = 60
TIMEOUT_S = 10.0
LONGEST_WHO = 200
MOST_ASKED = 4
"""The most codes that the provider is asked about at once."""


class ProviderDown(Exception):
    """The identity provider gives no answer, or none that makes sense."""


class Person(NamedTuple):
    """A person who signed in, with the roles that this gives."""

    who: str
    roles: tuple[Role, ...]


class _Addresses(msgspec.Struct, frozen=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str


class _Known(NamedTuple):
    addresses: _Addresses
    keys: Any
    since_s: float


class SignInAttempt(NamedTuple):
    """One attempt to sign in, derived from the secret in the browser's cookie."""

    secret: str

    @property
    def state(self) -> str:
        return digest_of(f"oidc state\n{self.secret}")

    @property
    def nonce(self) -> str:
        return digest_of(f"oidc nonce\n{self.secret}")

    @property
    def verifier(self) -> str:
        return digest_of(f"oidc verifier\n{self.secret}")

    @property
    def challenge(self) -> str:
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        return to_url_text(hashed)

    def is_answered_by(self, state: str) -> bool:
        return hmac.compare_digest(self.state.encode(), state.encode())


class Provider:
    """A client of the issuer; it blocks, so call it in a thread."""

    def __init__(self, options: OidcOptions) -> None:
        self.options = options
        self._known: _Known | None = None
        self._looking = Lock()
        self.turns = Semaphore(MOST_ASKED)
        """Turns for exchanging codes: a request that waits for one takes no thread from others."""

    def address_for(self, flow: SignInAttempt, redirect: str) -> str:
        """Return the address to send a browser to that wants to sign in."""
        query = {
            "response_type": "code",
            "client_id": self.options.client_id,
            "redirect_uri": redirect,
            "scope": "openid profile email",
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": flow.challenge,
            "code_challenge_method": "S256",
        }
        endpoint = self._look().addresses.authorization_endpoint
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    def person(self, code: str, flow: SignInAttempt, redirect: str) -> Person:
        """Return the person behind a code; NotSignedIn for a bad code.

        NotPermitted if the person has no role.
        """
        claims = self._claims(self._exchange(code, flow, redirect), flow)
        roles = self._roles(claims)
        if not roles:
            raise NotPermitted(f"nothing in the claim {self.options.claim!r} gives a role here")
        return Person(_who(claims), roles)

    def _look(self, *, afresh: bool = False) -> _Known:
        with self._looking:
            cached = self._known
            limit_s = AGAIN_S if afresh else KNOWN_S
            if cached is None or elapsed_s() - cached.since_s > limit_s:
                cached = self._known = self._discover()
            return cached

    def _discover(self) -> _Known:
        from joserfc.errors import JoseError  # noqa: PLC0415  # an extra
        from joserfc.jwk import KeySet  # noqa: PLC0415

        where = f"{self.options.issuer}/.well-known/openid-configuration"
        addresses = self._read(self._ask("GET", where), _Addresses)
        if addresses.issuer.rstrip("/") != self.options.issuer:
            raise ProviderDown(f"{where} speaks for {addresses.issuer!r:.140}")
        try:
            keys = KeySet.import_key_set(self._read(self._ask("GET", addresses.jwks_uri), dict))
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise ProviderDown(f"{addresses.jwks_uri} holds no keys: {error}") from error
        return _Known(addresses, keys, elapsed_s())

    def _exchange(self, code: str, flow: SignInAttempt, redirect: str) -> str:
        addresses = self._look().addresses
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": flow.verifier,
            "client_id": self.options.client_id,
        }
        secret = self.options.client_secret
        auth = None
        if secret is not None:
            if "client_secret_basic" in addresses.token_endpoint_auth_methods_supported:
                auth = (self.options.client_id, secret)
            else:
                form["client_secret"] = secret
        answer: _Tokens = self._read(
            self._ask("POST", addresses.token_endpoint, form, auth), _Tokens
        )
        return answer.id_token

    def _claims(self, text: str, flow: SignInAttempt) -> Mapping[str, Any]:
        from joserfc import jwt  # noqa: PLC0415
        from joserfc.errors import InvalidKeyIdError, JoseError  # noqa: PLC0415

        try:
            try:
                token = jwt.decode(text, self._look().keys, algorithms=ALGORITHMS)
            except InvalidKeyIdError:  # the provider has new keys
                token = jwt.decode(text, self._look(afresh=True).keys, algorithms=ALGORITHMS)
            jwt.JWTClaimsRegistry(
                leeway=LEEWAY_S,
                iss={"essential": True, "value": self._look().addresses.issuer},
                aud={"essential": True, "value": self.options.client_id},
                sub={"essential": True},
                exp={"essential": True},
                iat={"essential": True},
                nonce={"essential": True, "value": flow.nonce},
            ).validate(token.claims)
        except (JoseError, ValueError) as error:
            raise NotSignedIn(f"the token of the identity provider is not good: {error}") from error
        claims: dict[str, Any] = token.claims
        if claims.get("azp", self.options.client_id) != self.options.client_id:
            raise NotSignedIn("the token of the identity provider was made for somebody else")
        return claims

    def _roles(self, claims: Mapping[str, Any]) -> tuple[Role, ...]:
        claim: Any = claims
        for part in self.options.claim.split("."):
            claim = claim.get(part) if isinstance(claim, Mapping) else None
        groups = [claim] if isinstance(claim, str) else claim
        if not isinstance(groups, list):
            return ()
        roles = {role for group in groups for role in self.options.roles.get(str(group), ())}
        return tuple(role for role in PEOPLE if role in roles)

    def _ask(
        self,
        method: str,
        url: str,
        form: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> bytes:
        import httpx2  # noqa: PLC0415  # for those who sign in this way

        try:
            answer = httpx2.request(
                method, url, data=form, auth=auth, timeout=TIMEOUT_S, follow_redirects=False
            )
        except httpx2.HTTPError as error:
            raise ProviderDown(f"{url} cannot be reached: {error}") from error
        if answer.is_client_error and method == "POST":
            raise NotSignedIn("the identity provider does not accept the code")
        if not answer.is_success:
            raise ProviderDown(f"{url} answered {answer.status_code}")
        return answer.content

    @staticmethod
    def _read(content: bytes, kind: Any) -> Any:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ProviderDown(f"the identity provider makes no sense: {error}") from error


def _who(claims: Mapping[str, Any]) -> str:
    """Return the name of a person, with the claim that is unique to one person at the issuer."""
    subject = str(claims["sub"])
    email = claims.get("email") if claims.get("email_verified") is True else None
    name = str(email or claims.get("preferred_username") or "")
    shown = f"{name} (oidc {subject})" if name else f"oidc {subject}"
    return "".join(each for each in shown if each.isprintable())[:LONGEST_WHO]
