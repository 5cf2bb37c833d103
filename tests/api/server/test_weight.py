"""What a server loads: memory and the time to start are part of what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOOK = """
import sys
from rota import App
from rota.api.server.asgi import create_app
from rota.api.server.options import ServerOptions
from rota.api.server.state import ServerState

create_app(ServerState(App("sqlite:///unused.db"), ServerOptions()))
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
HEAVY = {"pydantic", "attr", "rich", "holidays", "cel_expr_python", "aiohttp", "obstore", "joserfc"}


def test_a_server_loads_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", LOOK], cwd=tmp_path, check=True, capture_output=True, text=True
    )

    assert HEAVY.isdisjoint(told.stdout.split())
