"""taskiq on Redis streams with a Redis result backend: the broker and its jobs."""

from __future__ import annotations

import common
from taskiq_redis import RedisAsyncResultBackend, RedisStreamBroker

broker = RedisStreamBroker(common.URL).with_result_backend(RedisAsyncResultBackend(common.URL))


@broker.task
async def noop() -> None:
    common.done()


@broker.task
async def stamp(index: int) -> None:
    common.started(index)
