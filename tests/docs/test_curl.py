"""Each group of calls has an example with curl in the pages, which the tests execute."""

from __future__ import annotations

import re
from pathlib import Path

from rota.api.identity.authorization import operations
from rota.api.server.asgi import make_litestar
from rota.api.server.options import ServerOptions
from rota.api.server.state import ServerState
from rota.app import App

DOCS = Path(__file__).parents[2] / "docs"
CALL = re.compile(r"curl [^\n]*(?:\\\n[^\n]*)*?127\.0\.0\.1:\d+/api/v1/([a-z.-]+)")


def groups_of(paths: set[str]) -> set[str]:
    return {path.removeprefix("/api/v1/").split("/")[0] for path in paths}


def test_each_group_of_calls_has_an_example(tmp_path: Path) -> None:
    site = ServerState(App(f"sqlite:///{tmp_path}/rota.db"), ServerOptions())
    paths = {
        each.path for each in operations(make_litestar(site)) if each.path.startswith("/api/v1/")
    }
    text = "".join(page.read_text() for page in DOCS.glob("*.md"))

    assert groups_of(paths) - set(CALL.findall(text)) == set()
