"""taskiq on Redis streams: the submitting side."""

from __future__ import annotations

import common
from taskiq_worker import broker, noop, stamp


class Driver:
    has_bulk = False

    async def open(self) -> None:
        await broker.startup()

    async def submit(self) -> None:
        await noop.kiq()

    async def submit_many(self, count: int) -> None:
        raise NotImplementedError

    async def submit_stamp(self, index: int) -> None:
        await stamp.kiq(index)


common.serve(Driver())
