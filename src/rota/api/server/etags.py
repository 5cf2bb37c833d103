"""ETags of definitions: who changes one may say which state of it the change is meant for."""

from __future__ import annotations

import hashlib
from typing import Annotated

import msgspec
from litestar.params import HeaderParameter

from rota.api.server.request import ApiRequest
from rota.errors import BadInput, Outdated

ANY = "*"

IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description="The ETag that was read; if it is another one by now, nothing is changed.",
    ),
]

IfNoneMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-None-Match",
        description="`*`: only if there is none of that name yet; else nothing is changed.",
    ),
]


def etag_of(*facts: object) -> str:
    """Of what makes a definition what it is."""
    text = msgspec.json.encode(facts)
    return f'"{hashlib.blake2b(text, digest_size=10).hexdigest()}"'


def show_etag(request: ApiRequest, etag: str) -> None:
    """On the answer."""
    request.add_header("ETag", etag)


def check_match(
    if_match: str | None, etag: str | None, *, if_none_match: str | None = None
) -> None:
    """Outdated unless it is what the client has read, or wants to be the first to make.

    No etag: there is nothing. A client that sends neither header takes what comes.
    """
    if if_none_match not in {None, ANY}:
        raise BadInput(f"If-None-Match: {if_none_match:.80}: give `*`, or leave it out")
    if if_none_match is not None and etag is not None:
        raise Outdated("there is one of that name: choose another name, or change that one")
    if if_match is None:
        return
    wanted = [each.strip() for each in if_match.split(",")]
    if etag is None:
        raise Outdated("it is not there any more, or not yet, and If-Match asks for one that is")
    if ANY not in wanted and etag not in wanted:
        raise Outdated(f"it is {etag} now, and If-Match says {if_match:.80}")
