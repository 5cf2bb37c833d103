"""HTTP requests as handlers; statuses become endings. ssrf.py decides which hosts may be called."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from rota.errors import BadInput
from rota.model.jobs.spec import HttpTarget
from rota.model.workers.sandbox import Egress
from rota.notices import emit
from rota.rules.runs.effect_keys import idempotency_key
from rota.rules.runs.times import run_values
from rota.rules.security.egress import RUN_HEADERS, check_headers
from rota.rules.security.web_address import AUTHORIZATION, split_address
from rota.rules.text.template import Value, fill, values_for
from rota.runtime.attempts.attempt import Attempt, Ending, Raised
from rota.runtime.attempts.error_text import describe, type_names
from rota.runtime.executors.endings import failure, no_function, refused, undecodable
from rota.runtime.executors.http.responses import ending_of_answer, read_answer
from rota.runtime.executors.http.ssrf import ANYWHERE, GuardedResolver, NotReached, check_url
from rota.runtime.executors.loop.executor import LoopExecutor
from rota.runtime.executors.parts import ExecutorParts

CONNECT_S = 10.0
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BREAK = re.compile(r"[\r\n\0]")
_WITH_BODY = ("POST", "PUT", "PATCH")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request with its arguments filled in."""

    method: str
    url: URL
    headers: dict[str, str]
    body: str | None


class HttpExecutor(LoopExecutor):
    """Runs each attempt as one HTTP request, up to `slots` at once; redirects are not followed."""

    def __init__(self, *, egress: Egress = ANYWHERE, **options: Any) -> None:
        super().__init__(**options)
        self._egress = egress
        self._sessions: dict[tuple[int, bool], aiohttp.ClientSession] = {}

    async def perform(self, call: Attempt) -> Ending:
        target, signature = call.work.spec.target, call.work.signature
        if not isinstance(target, HttpTarget) or signature is None:
            return no_function(call)
        try:
            values = values_for(signature.load(call.lease.args), call.lease.origin)
            request = _request(target, values, call)
        except (BadInput, ValueError) as exc:
            return undecodable(call, exc)
        try:
            check_url(request.url, allow_private=target.allow_private, egress=self._egress)
            return await self._exchange(request, target)
        except (BadInput, aiohttp.InvalidURL) as exc:
            text = describe(exc).message
            if isinstance(exc, NotReached):
                emit("http.refused", job=call.lease.job, run=call.lease.run_id, detail=text)
            return refused(exc, text)
        except (aiohttp.ClientError, OSError, TimeoutError) as exc:
            message = describe(exc).message or f"no answer: {type(exc).__name__}"
            error = failure(describe(exc).type, f"{request.url.origin()}: {message}")
            return Raised(error=error, types=type_names(exc), exception=exc)
        except ValueError as exc:  # a header with a line break, an unknown method
            return refused(exc, describe(exc).message)

    async def leave(self) -> None:
        loop_id = id(asyncio.get_running_loop())
        for key in [key for key in self._sessions if key[0] == loop_id]:
            await self._sessions.pop(key).close()

    async def _exchange(self, request: Request, target: HttpTarget) -> Ending:
        async with self._session(allow_private=target.allow_private).request(
            request.method,
            request.url,
            headers=request.headers,
            data=None if request.body is None else request.body.encode(),
            allow_redirects=False,
        ) as response:
            return ending_of_answer(await read_answer(response), target)

    def _session(self, *, allow_private: bool) -> aiohttp.ClientSession:
        """Return a session per loop and kind: guarded requests never get unguarded connections."""
        key = (id(asyncio.get_running_loop()), allow_private)
        if key not in self._sessions:
            resolver = GuardedResolver(allow_private=allow_private, egress=self._egress)
            self._sessions[key] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=resolver, limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                # The worker ends a request that takes too long in total.
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                headers={"User-Agent": "rota", "Accept-Encoding": "identity"},
                # A small answer may unpack to gigabytes, so nothing is unpacked.
                auto_decompress=False,
            )
        return self._sessions[key]


def _request(target: HttpTarget, values: Mapping[str, Value], call: Attempt) -> Request:
    lease = call.lease
    own = {name: fill(text, values) for name, text in target.headers.items()}
    # Definitions of older versions may still hold credentials in the address.
    address = split_address(fill(target.url, _each(values, _in_url)))
    if address.authorization is not None:
        own.setdefault(AUTHORIZATION, address.authorization)
    if "idempotency-key" not in map(str.lower, own):
        own["Idempotency-Key"] = idempotency_key(lease.run_id, lease.job)
    headers = {
        **own,
        "Rota-Run-Id": lease.run_id,
        "Rota-Attempt": str(lease.attempt),
        "Rota-Fence": str(lease.fence),
        **_time_headers(lease.origin),
    }
    _check_words(target.method, headers)
    check_headers(target.headers)
    body = None if target.body is None else fill(target.body, _each(values, _in_json))
    if body is None and target.method.upper() in _WITH_BODY:
        body = lease.args
    if body is not None and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    return Request(method=target.method.upper(), url=URL(address.url), headers=headers, body=body)


def _time_headers(origin: str | None) -> dict[str, str]:
    """Return headers with the schedule and its time; none for a run that no schedule started."""
    if origin is None:
        return {}
    facts = run_values(origin)
    return {header: value for name, header in RUN_HEADERS.items() if (value := facts[name])}


def _check_words(method: str, headers: Mapping[str, str]) -> None:
    """Refuse characters that would start a second request inside the first."""
    if not _TOKEN.fullmatch(method):
        raise BadInput(f"{method!r:.80} is not an HTTP method")
    for name, text in headers.items():
        if not _TOKEN.fullmatch(name) or _BREAK.search(text):
            raise BadInput(f"header {name!r:.80} has a character that no header may have")


def _each(values: Mapping[str, Value], write: Any) -> dict[str, Value]:
    return {name: write(fill("{it}", {"it": value})) for name, value in values.items()}


def _in_url(text: str) -> str:
    return quote(text, safe="")


def _in_json(text: str) -> str:
    """Return the text as it stands between the quotes of a JSON string; numbers unchanged."""
    return msgspec.json.encode(text)[1:-1].decode()


def make(parts: ExecutorParts) -> HttpExecutor:
    return HttpExecutor(
        slots=parts.slots,
        started=parts.started,
        done=parts.done,
        progress=parts.progress,
        egress=parts.egress,
    )
