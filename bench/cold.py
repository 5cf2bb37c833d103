"""The app for measuring the start of `rota up`: it submits a run while it loads."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench.shop import make_app

app = make_app()


@app.job
def first() -> None:
    Path(os.environ["BENCH_STAMP"]).write_text(str(time.monotonic_ns()))


first.submit()
