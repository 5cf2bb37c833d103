"""Long lists, read page by page."""

from __future__ import annotations

from typing import Any, TypeVar

from rota.handles.backend import Backend
from rota.model.view import Page
from rota.operations.operation import Operation
from rota.operations.paging import MOST

T = TypeVar("T")


def all_items(
    backend: Backend,
    operation: Operation[..., Page[T]],
    *,
    start: str | None = None,
    limit: int | None = None,
    **filters: Any,
) -> list[T]:
    """Return the items of a list from `start` on, up to `limit`; without a limit, all of them."""
    items: list[T] = []
    cursor = start
    while limit is None or len(items) < limit:
        size = MOST if limit is None else min(MOST, limit - len(items))
        page = backend.call(operation, cursor=cursor, limit=size, **filters)
        items += page.items
        cursor = page.next
        if cursor is None:
            break
    return items
