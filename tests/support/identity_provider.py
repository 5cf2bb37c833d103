"""A small identity provider on loopback that issues signed tokens, and bad ones when asked."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import threading
import time
from typing import Any, Self

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

CLIENT = "rota"
SECRET = "client-secret-of-the-test"


class IdentityProvider:
    """Signs in one person at once; a code is good once, with the verifier of its challenge."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"roles": ["staff"], "preferred_username": "mia"}
        """Claims about the person, added to the usual ones or in place of them."""
        self.key = self._new_key("first")
        self.signs_with: Any = None
        """A key to sign with, other than the published one."""
        self.looked_up = 0
        self.asked = 0
        """How many codes it was sent."""
        self._codes: dict[str, dict[str, str]] = {}
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(20)
        self._loop.close()

    def change_keys(self) -> None:
        self.key = self._new_key(secrets.token_hex(4))

    @staticmethod
    def _new_key(kid: str) -> RSAKey:
        return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._describe)
        app.router.add_get("/keys", self._keys)
        app.router.add_get("/authorize", self._authorize)
        app.router.add_post("/token", self._token)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _describe(self, _: web.Request) -> web.Response:
        self.looked_up += 1
        return web.json_response(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            }
        )

    async def _keys(self, _: web.Request) -> web.Response:
        return web.json_response(KeySet([self.key]).as_dict(private=False))

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"]
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        where = f"{asked['redirect_uri']}?code={code}&state={asked['state']}"
        raise web.HTTPFound(f"{where}&session_state=x&iss={self.issuer}")

    async def _token(self, request: web.Request) -> web.Response:
        self.asked += 1
        form = await request.post()
        asked = self._codes.pop(str(form["code"]), None)
        given = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        hashed = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()
        is_good = (
            asked is not None
            and asked["code_challenge"] == challenge
            and asked["redirect_uri"] == form["redirect_uri"]
            and request.headers.get("Authorization") == f"Basic {given}"
        )
        if asked is None or not is_good:
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response({"id_token": self._signed(asked["nonce"]), "token_type": "Bearer"})

    def _signed(self, nonce: str) -> str:
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "user-17",
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
        }
        key = self.signs_with or self.key
        algorithm = "HS256" if isinstance(key, OctKey) else "RS256"
        claims = {name: value for name, value in (said | self.claims).items() if value is not None}
        return jwt.encode({"alg": algorithm, "kid": self.key.kid}, claims, key)
