"""Failed tries: what a try without an answer means, and whether to try again."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import NamedTuple

from rota.errors import RotaError, ServerUnavailable


class Failed(NamedTuple):
    """A try that brought no answer, or none that counts."""

    error: RotaError
    is_doubtful: bool
    """Whether the request may have been carried out."""
    rest_s: float = 0.0
    """How long the server wants no further request."""
    is_final: bool = False
    """Whether the next try would end in the same way."""


def failure(error: Exception, url: str) -> Failed:
    """Return what an error of the network means."""
    import httpx2  # noqa: PLC0415  # as where requests are sent

    causes = list(_causes(error))
    untrusted = next(
        (each for each in causes if isinstance(each, ssl.SSLCertVerificationError)), None
    )
    if untrusted is not None:
        return _final(
            f"the certificate of {url} is not to be trusted: {untrusted.verify_message}; name "
            "those that are with ca_file (ROTA_CA_FILE)"
        )
    if any(isinstance(each, ssl.SSLError) and _is_plain(each) for each in causes):
        return _final(f"{url} speaks no TLS there; is it http://, or another port?")
    if any(
        isinstance(each, socket.gaierror) and each.errno == socket.EAI_NONAME for each in causes
    ):
        return _final(f"there is no host of the name in {url}; check the address")
    reason = str(error) or type(error).__name__
    through = "the proxy on the way to " if isinstance(error, httpx2.ProxyError) else ""
    unsent = (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
        httpx2.InvalidURL,
    )
    return Failed(
        ServerUnavailable(f"{through}the server at {url} cannot be reached: {reason}"),
        is_doubtful=not isinstance(error, unsent),
    )


def _final(reason: str) -> Failed:
    return Failed(ServerUnavailable(reason), is_doubtful=False, is_final=True)


def _is_plain(error: ssl.SSLError) -> bool:
    return error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    depth = 0
    while error is not None and depth < 10:  # noqa: PLR2004  # they may lead in a circle
        yield error
        error, depth = error.__cause__ or error.__context__, depth + 1
