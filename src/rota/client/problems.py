"""Problem documents of a server, turned into the errors that a local call would have raised."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rota import errors
from rota.errors import (
    BadInput,
    BadUrl,
    NotPermitted,
    NotSignedIn,
    RotaError,
    ServerUnavailable,
    TooMany,
)
from rota.version import version

UNKNOWN_CALLS = ("not-found", "method-not-allowed")
"""Codes for addresses that the server does not have; missing things have other codes."""
SERVER_ERROR = 500


class ServerProblem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The server's description of a request that it refused."""

    code: str
    detail: str
    remedy: str = ""
    request_id: str = ""
    facts: dict[str, str | float] = {}


_decoder = msgspec.json.Decoder(ServerProblem)
_BY_CODE: dict[str, type[RotaError]] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower(): kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, RotaError)
}
_BY_STATUS: dict[int, type[RotaError]] = {
    401: NotSignedIn,
    403: NotPermitted,
    408: ServerUnavailable,
    413: errors.PayloadTooLarge,
    429: TooMany,
}


def error_of(status: int, body: bytes, *, url: str, retry_after_s: float | None) -> RotaError:
    """Return the error for an answer that is no success, with the message of the server."""
    try:
        problem = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _of_stranger(status, url)
    if problem.code in UNKNOWN_CALLS:
        return BadInput(
            f"the server at {url} does not know this call, which Rota {version()} has; it is "
            "another version"
        )
    error = _build(_kind(problem.code, status), problem)
    if isinstance(error, TooMany):
        error.retry_after_s = retry_after_s or 1.0
    return error


def _kind(code: str, status: int) -> type[RotaError]:
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return BadInput if status < SERVER_ERROR else RotaError


def _build(kind: type[RotaError], problem: ServerProblem) -> RotaError:
    """Return an error with its whole message; the constructors would compose one from parts."""
    text = problem.detail
    if kind is RotaError and problem.request_id:
        text = f"{text} The log of the server has more under {problem.request_id}."
    error: Any = kind.__new__(kind)
    RotaError.__init__(error, text)
    vars(error).update({_snake(name): value for name, value in problem.facts.items()})
    if kind is errors.BadGraph:
        error.path = ()
    built: RotaError = error
    return built


def _snake(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()


def _of_stranger(status: int, url: str) -> RotaError:
    """Return the error for an answer of a proxy, or of a server that is not Rota."""
    if status >= SERVER_ERROR:
        return ServerUnavailable(f"{url} answered {status}: the server is not there, or not well")
    if status in _BY_STATUS and status not in (408, 413):
        return _BY_STATUS[status](f"{url} answered {status}")
    return BadUrl(f"{url} answered {status} in a way that no Rota server does; check the address")
