"""Secrets that Rota issues: their form, and the digest for looking them up.

They hold 256 random bits, so a plain SHA-256 is enough. A look-up by digest needs no comparison in
constant time: nobody who chooses a secret can choose how its digest begins.
"""

from __future__ import annotations

import hashlib
import re

from rota.errors import BadOption
from rota.url_text import to_url_text

TOKEN = "rota_"  # noqa: S105  # what a token begins with, so that scanners of leaks know it
SHOWN = 10
"""The characters of a token that lists show: its prefix and five of its own."""
LEAST_CHARS = 32

_WORD = re.compile(r"[\x21-\x7e]+")


def token_text(entropy: bytes) -> str:
    """Return a token that holds these random bytes."""
    return TOKEN + to_url_text(entropy)


def digest_of(secret: str) -> str:
    """Return the stored digest of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(session: str) -> str:
    """Return the token that a page sends beside the cookie; derived, and stored nowhere."""
    return digest_of(f"csrf\n{session}")[:43]


def check_own_token(text: str) -> str:
    """Check a token that a user brings: long enough, and fit for a header."""
    if len(text) < LEAST_CHARS or not _WORD.fullmatch(text):
        raise BadOption(
            f"the token has {len(text)} characters; give at least {LEAST_CHARS} printable ones "
            "without spaces, such as the output of `openssl rand -hex 32`"
        )
    return text
