"""Posts an alert: one guarded request, of which only the status counts.

executors.http.ssrf decides which addresses may be called, as for HTTP jobs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import aiohttp
from yarl import URL

from rota.errors import RotaError
from rota.rules.security.web_address import AUTHORIZATION, split_address
from rota.runtime.executors.http.ssrf import GuardedResolver, check_url

TIMEOUT_S = 10.0


class NotDelivered(RotaError):
    """The webhook did not accept the alert; it is sent again later."""


def post(
    url: str,
    body: bytes,
    *,
    key: str,
    allow_private: bool,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send once; raise BadInput for a forbidden address, and NotDelivered for other failures.

    Redirects are not followed: they could lead to a forbidden address.
    """
    own = {"Idempotency-Key": key, **(headers or {})}
    asyncio.run(_post(url, body, own, allow_private=allow_private))


async def _post(url: str, body: bytes, own: Mapping[str, str], *, allow_private: bool) -> None:
    address = split_address(url)
    try:
        target = URL(address.url)
    except ValueError as error:
        raise NotDelivered(f"the webhook is not a valid address: {error}") from error
    check_url(target, allow_private=allow_private)
    # Also with allow_private: the metadata of clouds is behind names as well as addresses.
    resolver = GuardedResolver(allow_private=allow_private)
    headers = {"Content-Type": "application/json", "User-Agent": "rota", **own}
    if address.authorization is not None:  # not in the address, which errors show
        headers[AUTHORIZATION] = address.authorization
    try:
        async with (
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=resolver),
                timeout=aiohttp.ClientTimeout(total=TIMEOUT_S),
            ) as session,
            session.post(target, data=body, headers=headers, allow_redirects=False) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError) as error:
        message = str(error) or type(error).__name__
        raise NotDelivered(f"{target.origin()}: {message}") from error
    if status // 100 != 2:  # noqa: PLR2004  # any 2xx
        raise NotDelivered(f"{target.origin()} answered {status}")
