"""Connections as programs use them: each kind that Rota can submit through, on any store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, NamedTuple

import apsw
import psycopg
import sqlalchemy
from sqlalchemy.orm import Session


class Open(NamedTuple):
    """A connection, and how its owner ends a transaction."""

    connection: Any
    commit: Callable[[], None]
    rollback: Callable[[], None]
    execute: Callable[[str], Any]


KINDS = ("driver", "alchemy", "session", "apsw")


def alchemy_url(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://").replace(
        "postgres://", "postgresql+psycopg://"
    )


@contextmanager
def engine_at(url: str, **options: Any) -> Iterator[sqlalchemy.Engine]:
    engine = sqlalchemy.create_engine(alchemy_url(url), **options)
    try:
        yield engine
    finally:
        engine.dispose()


def driver_at(url: str, **options: Any) -> Any:
    if url.startswith("sqlite"):
        return sqlite3.connect(url.removeprefix("sqlite:///"), **options)
    return psycopg.connect(url, **options)


def _begun(it: apsw.Connection) -> Open:
    """Begin a transaction: the connection commits each statement otherwise."""
    it.execute("begin")

    def end(word: str) -> None:
        it.execute(f"{word}; begin")

    return Open(it, partial(end, "commit"), partial(end, "rollback"), it.execute)


@contextmanager
def open_kind(kind: str, url: str) -> Iterator[Open]:
    """Open a connection of this kind to the store."""
    if kind == "apsw" and url.startswith("sqlite"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as it:
            it.set_busy_timeout(10_000)
            yield _begun(it)
        return
    if kind in ("driver", "apsw"):
        with closing(driver_at(url)) as it:
            yield Open(it, it.commit, it.rollback, it.execute)
        return
    with engine_at(url) as engine:
        if kind == "alchemy":
            with engine.connect() as it:
                yield Open(it, it.commit, it.rollback, it.exec_driver_sql)
        else:
            with Session(engine) as session:
                yield Open(
                    session,
                    session.commit,
                    session.rollback,
                    lambda text: session.execute(sqlalchemy.text(text)),
                )
