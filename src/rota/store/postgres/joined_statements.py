"""Several changes as one statement: each trip to the server costs as much as a small change.

psycopg's pipelines do the same in general, but cost more than two trips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rota.store.base import Ask

_MARK = re.compile(rb"%\((?!now\))(\w+)\)s")


def joined(texts: Sequence[bytes]) -> bytes:
    """Join texts that change rows into one; their parameters are named as by `numbered`."""
    parts = [
        b"part_%d as (" % at + _MARK.sub(_mark(at), text) + b" returning 1)"
        for at, text in enumerate(texts)
    ]
    return b"with " + b",\n".join(parts) + b"\nselect 1"


def _mark(at: int) -> bytes:
    return rb"%(\g<1>_" + str(at).encode() + b")s"


def numbered(asks: Sequence[Ask]) -> dict[str, Any]:
    """Return the parameters of all."""
    return {
        f"{key}_{at}": value for at, (_, params) in enumerate(asks) for key, value in params.items()
    }
