"""The app under measurement: jobs that do nothing, or report when they began."""

from __future__ import annotations

import time

from rota import App


def noop() -> int:
    return 1


def stamp(sent_ns: int) -> int:
    """Return how long ago that was; all processes of a machine share the clock."""
    return time.monotonic_ns() - sent_ns


def make_app(url: str | None = None) -> App:
    """Return an app with these jobs; without a url its store is that of ROTA_URL."""
    app = App(url)
    app.job(noop)
    app.job(stamp)
    return app


app = make_app()
