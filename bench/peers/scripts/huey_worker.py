"""Huey on SQLite: the queue and its jobs, all settings as shipped (WAL, synchronous=FULL)."""

from __future__ import annotations

import common
from huey import SqliteHuey

huey = SqliteHuey(filename=common.URL.removeprefix("sqlite:///"))


@huey.task()
def noop() -> None:
    common.done()


@huey.task()
def stamp(index: int) -> None:
    common.started(index)
