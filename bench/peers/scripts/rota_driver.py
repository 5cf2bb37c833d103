"""Rota on SQLite or PostgreSQL: the submitting side, through the public API."""

from __future__ import annotations

import common
from rota_worker import noop, stamp


class Driver:
    has_bulk = True

    async def open(self) -> None:
        """The schema is made by the first submit."""

    async def submit(self) -> None:
        noop.submit()

    async def submit_many(self, count: int) -> None:
        noop.submit_many([()] * count)

    async def submit_stamp(self, index: int) -> None:
        stamp.submit(index)


common.serve(Driver())
