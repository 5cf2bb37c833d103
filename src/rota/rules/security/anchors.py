"""Anchors as lines of text, signed, for people and log shippers.

A line is one JSON object. Anything before it is ignored on reading, since syslog puts a date and a
host there.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from datetime import datetime

import msgspec

from rota.clock import to_datetime, to_ms
from rota.errors import BadFile, BadOption
from rota.model.identity.audit import Anchor

MARK = re.compile(r'{\s*"rota"\s*:\s*"anchor"')
LEAST_KEY = 16


class _Line(msgspec.Struct, kw_only=True, rename="camel"):
    rota: str
    namespace: str
    seq: int
    hash: str
    at: datetime
    kept_until: datetime | None = None
    signature: str | None = None


_lines = msgspec.json.Decoder(_Line)


def check_key(key: str) -> str:
    """Return a key for signatures; BadOption if it is too short to be safe."""
    if len(key) < LEAST_KEY:
        raise BadOption(
            f"the key for anchors has {len(key)} characters; give {LEAST_KEY} or more, "
            "such as those of `openssl rand -hex 32`"
        )
    return key


def write_anchor(anchor: Anchor, key: str | None) -> str:
    """Return one line without its end, signed if there is a key."""
    line = _Line(
        rota="anchor",
        namespace=anchor.namespace,
        seq=anchor.seq,
        hash=anchor.hash,
        at=to_datetime(anchor.at),
        kept_until=None if anchor.kept_until is None else to_datetime(anchor.kept_until),
        signature=None if key is None else _signature(anchor, key),
    )
    return msgspec.json.encode(line).decode()


def read_anchors(text: str, file: str, *, namespace: str, key: str | None) -> list[Anchor]:
    """Return the anchors of a namespace, in chain order; BadFile says which line is wrong.

    With a key, each of them must be signed with it. A file without anchors of this namespace is an
    error, too: a check must not pass because there was nothing to check.
    """
    anchors = [
        _read(line, f"{file}: line {number}", key)
        for number, line in _marks(text)
        if _is_whole(line, text)
    ]
    ours = [each for each in anchors if each.namespace == namespace]
    if not ours:
        raise BadFile(f"{file} holds no anchor of namespace {namespace}")
    return sorted(ours, key=lambda each: (each.seq, each.at))


def _marks(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if match := MARK.search(line):
            yield number, line[match.start() :].rstrip()


def _is_whole(line: str, text: str) -> bool:
    """Whether a line is complete; the last line may have been cut while it was written."""
    return text.endswith("\n") or not text.endswith(line) or line.endswith("}")


def _read(line: str, where: str, key: str | None) -> Anchor:
    try:
        read = _lines.decode(line)
    except msgspec.DecodeError as error:
        raise BadFile(f"{where} is not an anchor: {error}") from error
    anchor = Anchor(
        namespace=read.namespace,
        seq=read.seq,
        hash=read.hash,
        at=_ms(read.at, where),
        kept_until=None if read.kept_until is None else _ms(read.kept_until, where),
    )
    if key is not None:
        _check(anchor, read.signature, key, where)
    return anchor


def _check(anchor: Anchor, signature: str | None, key: str, where: str) -> None:
    if signature is None:
        raise BadFile(f"{where} has no signature, and a key was given")
    if not hmac.compare_digest(signature.encode(), _signature(anchor, key).encode()):
        raise BadFile(
            f"{where} does not fit its signature: it was changed, or the key is a different one"
        )


def _signature(anchor: Anchor, key: str) -> str:
    facts = [1, anchor.namespace, anchor.seq, anchor.hash, anchor.at, anchor.kept_until]
    return hmac.new(key.encode(), msgspec.json.encode(facts), hashlib.sha256).hexdigest()


def _ms(moment: datetime, where: str) -> int:
    if moment.tzinfo is None:
        raise BadFile(f"{where} has a time without a zone")
    return to_ms(moment)
