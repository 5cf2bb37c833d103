"""The verbs of a Client are those of an App: one that an App gets needs the other, or a reason.

Names of parameters count as well, so that a call can be moved from one to the other.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

import pytest

from rota import App, Client
from rota.ids import new_id

CODE = "it is about functions, which a server has not"
INSIDE = "parts of an App use it among themselves"
NO_CLIENT: Mapping[str, Mapping[str, str]] = {
    "App": {
        **dict.fromkeys(
            ("job", "graph", "command", "http", "graphs", "everything", "define"), CODE
        ),
        **dict.fromkeys(
            ("store", "artifact_store", "waiter", "end_watch", "submit_runs", "name", "upgrade"),
            INSIDE,
        ),
        **dict.fromkeys(("submit_runs_async", "handler_of"), INSIDE),
        "release": CODE,
        "worker": "one that has a server instead is a process of its own: `rota worker --server`",
    },
    "Run": {"filled": INSIDE},
    "Job": {
        **dict.fromkeys(
            ("app", "spec", "signature", "handler", "retry_function", "schedules"), CODE
        ),
        **dict.fromkeys(("version", "target", "draft", "bind", "new_run", "plainly"), CODE),
        **dict.fromkeys(("map", "node", "is_graph"), CODE),
        "within": "a transaction of the database",
    },
}
NO_APP: Mapping[str, set[str]] = {
    "App": {"line", "pages", "session", "end_polls"},
    "Job": {"encoded"},
}
"""What is about the connection of a client, its token, and how arguments travel."""
WHO = {"who"}
"""A server knows from the token who asks."""


def add(a: int) -> int:
    return a


@pytest.fixture
def pairs(tmp_path: Path) -> list[tuple[str, object, object]]:
    app = App(f"sqlite:///{tmp_path}/never.db")
    client = Client("http://127.0.0.1:1", token="never-sent-anywhere")
    some_id = new_id()
    return [
        ("App", app, client),
        ("Run", app.run(some_id), client.run(some_id)),
        ("Job", app.job(add), client.find_job("add")),
    ]


def verbs(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def parameters(thing: object, verb: str) -> set[str] | None:
    """None where it is no function, or takes whatever is given."""
    found = inspect.getattr_static(thing, verb)
    if not inspect.isfunction(found):
        return None
    given = inspect.signature(found).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in given):
        return None
    return {each.name for each in given} - {"self"}


def test_a_client_has_each_verb_of_an_app(pairs: list[tuple[str, object, object]]) -> None:
    for kind, here, there in pairs:
        missing = verbs(here) - verbs(there)

        assert missing == set(NO_CLIENT.get(kind, {})), kind


def test_an_app_has_each_verb_of_a_client(pairs: list[tuple[str, object, object]]) -> None:
    for kind, here, there in pairs:
        missing = verbs(there) - verbs(here)

        assert missing == NO_APP.get(kind, set()), kind


def test_verbs_take_the_same_parameters(pairs: list[tuple[str, object, object]]) -> None:
    compared = 0
    for kind, here, there in pairs:
        for verb in verbs(here) & verbs(there):
            mine, theirs = parameters(here, verb), parameters(there, verb)
            if mine is None or theirs is None:
                continue
            lacking = mine - theirs - WHO
            assert not lacking, f"{kind}.{verb}"
            compared += 1
    assert compared > 25
