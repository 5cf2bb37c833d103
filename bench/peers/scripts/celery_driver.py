"""Celery on Redis: the submitting side. A group is the nearest thing to a bulk submit."""

from __future__ import annotations

import common
from celery import group
from celery_worker import noop, stamp


class Driver:
    has_bulk = True

    async def open(self) -> None:
        """Celery connects at the first submit."""
        noop.app.connection_for_write().ensure_connection(max_retries=3)

    async def submit(self) -> None:
        noop.delay()

    async def submit_many(self, count: int) -> None:
        group(noop.s() for _ in range(count)).apply_async()

    async def submit_stamp(self, index: int) -> None:
        stamp.delay(index)


common.serve(Driver())
