"""PgQueuer on PostgreSQL through asyncpg and uvloop, which its own command uses too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import common
import pgqueuer
import uvloop

BATCH = 100
"""Drains three times as fast as with its default of 10; 500 made no clear difference."""


@asynccontextmanager
async def main() -> AsyncIterator[pgqueuer.PgQueuer]:
    queuer = pgqueuer.PgQueuer.from_asyncpg_connection(await asyncpg.connect(common.URL))

    @queuer.entrypoint("noop")
    async def noop(_: pgqueuer.Job) -> None:
        common.done()

    @queuer.entrypoint("stamp")
    async def stamp(job: pgqueuer.Job) -> None:
        common.started(int(job.payload or b"0"))

    yield queuer


if __name__ == "__main__":
    # What `pgq run` does. The command itself stops with an error in its --log-level option
    # (pgqueuer 1.6.0 with typer 0.29).
    uvloop.run(pgqueuer.run(main, batch_size=BATCH))
