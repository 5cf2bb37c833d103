"""The app under measurement: jobs that do nothing, or tell when they began."""

from __future__ import annotations

import time

from rota import App


def noop() -> int:
    return 1


def stamp(sent_ns: int) -> int:
    """How long ago that was; the clock is the same in all processes of a machine."""
    return time.monotonic_ns() - sent_ns


def make_app(url: str | None = None) -> App:
    """An app with these jobs; without a url it is the one of ROTA_URL."""
    app = App(url)
    app.job(noop)
    app.job(stamp)
    return app


app = make_app()
