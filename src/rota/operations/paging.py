"""Pages of long lists: the number of items in a page, and where the next page begins."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.errors import BadInput
from rota.ids import is_id

PAGE = 50
MOST = 500
Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST)]
"""The number of items in a page."""


def page_start(cursor: str | None) -> str | None:
    """The id that a page begins after, where the `next` of a page is one."""
    if cursor is not None and not is_id(cursor):
        raise not_a_cursor(cursor)
    return cursor


def not_a_cursor(cursor: str) -> BadInput:
    """Says that no answer of ours gave this cursor."""
    return BadInput(f"cursor={cursor!r:.64} is not the `next` of a page")
