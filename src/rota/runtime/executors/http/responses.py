"""Answers of HTTP servers: read within bounds, and turned into endings."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import msgspec

from rota.model.jobs.spec import HttpTarget
from rota.rules.jobs.signature import MAX_RESULT_BYTES
from rota.runtime.attempts.attempt import Ending, Raised, Returned
from rota.runtime.attempts.error_text import MAX_TRACEBACK, bounded
from rota.runtime.executors.endings import failure

MAX_BODY = 256 * 1024
KEPT_HEADERS = ("content-type", "etag", "last-modified", "location")
WORTH_ANOTHER_TRY = (408, 409, 425, 429)
_SHOWN = 200


class HttpResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a server, its body cut at 256 KiB."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes
    encoding: str
    is_cut: bool

    def text(self) -> str:
        try:
            return self.body.decode(self.encoding, "replace")
        except LookupError:  # the server named an unknown encoding
            return self.body.decode("utf-8", "replace")

    def value(self) -> Any:
        """The body as JSON if it is JSON, else as text."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return self.text()


async def read_answer(response: aiohttp.ClientResponse) -> HttpResponse:
    """Read at most 256 KiB of the body; the rest is left with the server."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        body += chunk
        if len(body) > MAX_BODY:
            response.close()
            break
    return HttpResponse(
        status=response.status,
        reason=response.reason or "",
        headers={name.lower(): value for name, value in response.headers.items()},
        body=bytes(body[:MAX_BODY]),
        encoding=response.charset or "utf-8",
        is_cut=len(body) > MAX_BODY,
    )


def ending_of_answer(answer: HttpResponse, target: HttpTarget) -> Ending:
    """Return an ending: expected statuses are results; some others are worth another attempt."""
    is_expected = answer.status in target.expect if target.expect else answer.status // 100 == 2  # noqa: PLR2004  # any 2xx
    if is_expected:
        return Returned(_result(answer))
    shown = answer.headers.get("location") or bounded(answer.text().strip(), _SHOWN)
    words = f"the server answered {answer.status} {answer.reason}".rstrip()
    error = failure(
        "HttpStatus",
        f"{words}: {shown}" if shown else words,
        bounded(answer.text(), MAX_TRACEBACK),
    )
    return Raised(
        error=error,
        types=("HttpStatus",),
        gives_up=300 <= answer.status < 500 and answer.status not in WORTH_ANOTHER_TRY,  # noqa: PLR2004  # 3xx, 4xx
        retry_after_s=_retry_after_s(answer.headers),
    )


def _result(answer: HttpResponse) -> str:
    result = {
        "status": answer.status,
        "headers": {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers},
        "body": answer.text() if answer.is_cut else answer.value(),
        "truncated": answer.is_cut,
    }
    encoded = msgspec.json.encode(result)
    if len(encoded) > MAX_RESULT_BYTES:
        # Control characters take six bytes each in JSON.
        result |= {"body": answer.text()[: MAX_RESULT_BYTES // 8], "truncated": True}
        encoded = msgspec.json.encode(result)
    return encoded.decode()


def _retry_after_s(headers: dict[str, str]) -> float | None:
    """Return the seconds that the server wants us to wait, from a number or a date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        until = parsedate_to_datetime(text)
        # By the server's own clock if it sends one: ours may differ by minutes.
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None
