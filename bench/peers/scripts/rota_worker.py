"""Rota on SQLite or PostgreSQL: the app and its jobs, settings as shipped."""

from __future__ import annotations

import common

from rota import App

app = App(common.URL)


@app.job
def noop() -> None:
    common.done()


@app.job
def stamp(index: int) -> None:
    common.started(index)
