"""Celery on Redis with a Redis result backend: the app and its jobs, settings as shipped."""

from __future__ import annotations

import common
from celery import Celery

app = Celery("bench", broker=common.URL, backend=common.URL)
app.conf.broker_connection_retry_on_startup = True


@app.task
def noop() -> None:
    common.done()


@app.task
def stamp(index: int) -> None:
    common.started(index)
