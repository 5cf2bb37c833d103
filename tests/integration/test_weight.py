"""What a program that only submits loads: scripts and short commands start with it each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from rota import App

app = App("sqlite:///rota.db")

@app.job
def greet(name: str) -> str:
    return f"hello {name}"

greet.submit("you")
print(*sys.modules)
"""
HEAVY = {
    *("asyncio", "ssl", "http.client", "rich", "click", "zoneinfo", "psycopg", "holidays", "yaml"),
    *(
        "rota.rules.schedules.cron",
        "rota.rules.schedules.triggers",
        "rota.engine.schedules.compiled",
        "rota.api.server.asgi",
    ),
}


def test_a_program_that_submits_loads_neither_loops_nor_cron(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True, capture_output=True, text=True
    )

    assert HEAVY.intersection(told.stdout.split()) == set()
