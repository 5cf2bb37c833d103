"""ETags of definitions: a change may say which state of a definition it is meant for."""

from __future__ import annotations

import hashlib

import msgspec

from rota.errors import BadInput, Outdated

ANY = "*"


def etag_of(*facts: object) -> str:
    """A tag of what makes a definition what it is."""
    text = msgspec.json.encode(facts)
    return f'"{hashlib.blake2b(text, digest_size=10).hexdigest()}"'


def check_match(
    if_match: str | None, etag: str | None, *, if_none_match: str | None = None
) -> None:
    """Outdated unless the definition is the one that the caller has read.

    Without an etag there is no definition yet; `if_none_match` is `*` for a caller who wants to
    make the first one. A caller that gives neither takes what is there.
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
