"""Which parts of the server leave the namespace of who asks; all others work in a room (ADR 26)."""

from __future__ import annotations

import re
from pathlib import Path

import rota.api
from tests.api.serving import Served

FOLDER = Path(rota.api.__file__).parent
ALLOWED = {
    "server/request.py": "routes about namespaces themselves",
    "identity/row_scope.py": "says what it is",
    "identity/identities.py": "who asks is not known yet",
    "identity/guess_reports.py": "who asks is not known, and the report is for the first namespace",
    "live/feed.py": "one reader for all who listen; each is told its own",
    "identity/credential_lookups.py": "who asks is not known yet",
    "monitors/ping_batcher.py": "an address that is pinged names no namespace",
    "routes/insight/health.py": "asks for the time only",
    "routes/identity/login.py": "who asks is not known yet",
    "server/process.py": "the first token of all",
    "server/state.py": "the chain of the audit",
}


def test_only_these_leave_the_namespace_of_who_asks() -> None:
    leaves = re.compile(r"\bHOUSE\b|\bstore\.(read|write)\b")
    found = {
        str(path.relative_to(FOLDER))
        for path in FOLDER.rglob("*.py")
        if leaves.search(path.read_text())
    }

    assert found == set(ALLOWED)


def test_servers_of_the_tests_work_in_rooms(served: Served) -> None:
    """So that all tests of the API on PostgreSQL are tests of the policies, too."""
    is_postgres = served.app.store.dialect == "postgres"

    assert (served.app.store.scoped(["default"]) is not served.app.store) is is_postgres
