"""PgQueuer on PostgreSQL: the submitting side. Its tables are installed durable, as shipped."""

from __future__ import annotations

import asyncpg
import common
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries


class Driver:
    has_bulk = True

    async def open(self) -> None:
        self._queries = Queries(AsyncpgDriver(await asyncpg.connect(common.URL)))
        await self._queries.install()

    async def submit(self) -> None:
        await self._queries.enqueue("noop", None)

    async def submit_many(self, count: int) -> None:
        await self._queries.enqueue(["noop"] * count, [None] * count, [0] * count)

    async def submit_stamp(self, index: int) -> None:
        await self._queries.enqueue("stamp", str(index).encode())


common.serve(Driver())
