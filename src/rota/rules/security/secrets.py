"""Secrets that we give out: how they look, and the digest by which they are found again.

They hold 256 random bits, so a plain SHA-256 is enough, and a look-up by it needs no comparison in
constant time: who can choose a secret cannot choose how its digest begins.
"""

from __future__ import annotations

import hashlib
import re

from rota.errors import BadOption
from rota.url_text import to_url_text

TOKEN = "rota_"  # noqa: S105  # what a token begins with, so that scanners of leaks know it
SHOWN = 10
"""Characters of a token that lists show: what it begins with and five of its own."""
LEAST_CHARS = 32

_WORD = re.compile(r"[\x21-\x7e]+")


def token_text(entropy: bytes) -> str:
    """A token that holds these random bytes."""
    return TOKEN + to_url_text(entropy)


def digest_of(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(session: str) -> str:
    """What a page sends beside the cookie: known to who knows the session, not kept anywhere."""
    return digest_of(f"csrf\n{session}")[:43]


def check_own_token(text: str) -> str:
    """A token that somebody brings: long enough, and fit for a header."""
    if len(text) < LEAST_CHARS or not _WORD.fullmatch(text):
        raise BadOption(
            f"the token has {len(text)} characters; give at least {LEAST_CHARS} printable ones "
            "without spaces, such as the output of `openssl rand -hex 32`"
        )
    return text
