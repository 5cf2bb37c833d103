"""Huey on SQLite: the submitting side."""

from __future__ import annotations

import common
from huey_worker import noop, stamp


class Driver:
    has_bulk = False

    async def open(self) -> None:
        """The tables are made when the job module is imported."""

    async def submit(self) -> None:
        noop()

    async def submit_many(self, count: int) -> None:
        raise NotImplementedError

    async def submit_stamp(self, index: int) -> None:
        stamp(index)


common.serve(Driver())
