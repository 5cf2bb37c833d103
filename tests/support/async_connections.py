"""Connections of event loops as programs use them: each kind that Rota can submit through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import asyncpg
import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine


class AsyncOpen(NamedTuple):
    """A connection, and how its owner ends a transaction and executes a statement."""

    connection: Any
    commit: Callable[[], Awaitable[Any]]
    rollback: Callable[[], Awaitable[Any]]
    execute: Callable[[str], Awaitable[Any]]


POSTGRES_KINDS = ("psycopg", "asyncpg", "pool", "alchemy-psycopg", "alchemy-asyncpg", "session")
SQLITE_KINDS = ("alchemy-aiosqlite", "session")


@asynccontextmanager
async def open_async(kind: str, url: str) -> AsyncIterator[AsyncOpen]:
    """Open a connection of this kind to the store, in a transaction."""
    if kind == "psycopg":
        async with await psycopg.AsyncConnection.connect(url) as plain:
            yield AsyncOpen(plain, plain.commit, plain.rollback, plain.execute)
    elif kind == "asyncpg":
        raw = await asyncpg.connect(url)
        try:
            yield await _begun(raw)
        finally:
            await raw.close()
    elif kind == "pool":
        async with asyncpg.create_pool(url, min_size=1) as pool, pool.acquire() as proxy:
            it = await _begun(proxy)
            yield it
            await it.execute("rollback")
    else:
        async with _alchemy(kind, url) as it:
            yield it


async def _begun(raw: Any) -> AsyncOpen:
    """Begin a transaction: the connection commits each statement otherwise."""
    await raw.execute("begin")

    async def end(word: str) -> None:
        await raw.execute(word)
        await raw.execute("begin")

    return AsyncOpen(raw, lambda: end("commit"), lambda: end("rollback"), raw.execute)


@asynccontextmanager
async def _alchemy(kind: str, url: str) -> AsyncIterator[AsyncOpen]:
    driver = kind.rpartition("-")[2] if "-" in kind else "asyncpg"
    if url.startswith("sqlite"):
        address = url.replace("sqlite://", "sqlite+aiosqlite://", 1)
    else:
        address = f"postgresql+{driver}{url[url.index('://') :]}"
    engine = create_async_engine(address)
    try:
        if kind == "session":
            async with AsyncSession(engine) as session:
                yield AsyncOpen(
                    session,
                    session.commit,
                    session.rollback,
                    lambda words: session.execute(text(words)),
                )
        else:
            async with engine.connect() as it:
                yield AsyncOpen(it, it.commit, it.rollback, it.exec_driver_sql)
    finally:
        await engine.dispose()
