"""Calls that find nothing to change answer as ever and leave no audit entry, through both doors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota import Client
from rota.handles.backend import Backend
from rota.model.view import encode
from tests.api.serving import HOME, Served
from tests.api.test_operation_doors import OPERATIONS, arguments_of, entries, example_of
from tests.api.things import Things
from tests.contract.builders import run_sql

REPEATED = (
    "POST /jobs",
    "PUT /jobs/{job_id}",
    "POST /jobs/{job_id}/rollback",
    "PUT /jobs/{job_id}/weights",
    "POST /jobs/{job_id}/pause",
    "PUT /templates/{name}",
    "POST /templates/{name}/instantiate",
    "PUT /schedules/{name}",
    "POST /schedules/{name}/pause",
    "POST /schedules/{name}/unblock",
    "PUT /alert-rules/{name}",
    "PUT /alert-channels/{name}",
    "PUT /monitors/{name}",
    "POST /monitors/{name}/pause",
    "PUT /calendars/{name}",
    "PUT /blackouts/{name}",
    "POST /queues/{queue}/pause",
    "POST /workers/{worker_id}/drain",
    "POST /breakers/{job}/open",
    "POST /runs/{run_id}/cancel",
    "DELETE /tokens/{token_id}",
    "PUT /namespaces/{namespace}",
)
"""Changes that change nothing when they are made a second time."""
UNDONE = {
    "POST /jobs/{job_id}/pause": "POST /jobs/{job_id}/resume",
    "POST /schedules/{name}/pause": "POST /schedules/{name}/resume",
    "POST /monitors/{name}/pause": "POST /monitors/{name}/resume",
    "POST /queues/{queue}/pause": "POST /queues/{queue}/resume",
    "POST /workers/{worker_id}/drain": "POST /workers/{worker_id}/resume",
    "POST /breakers/{job}/open": "POST /breakers/{job}/close",
}
"""Changes, and what undoes each of them, once."""


@pytest.fixture
def doors(served: Served) -> Iterator[dict[str, Backend]]:
    secret = served.token("admin", "exec", "audit")
    with Client(served.address, token=secret) as client:
        yield {"store": served.app.backend, "server": client.backend}


class Watched:
    """A door whose changes are counted by their audit entries."""

    def __init__(self, served: Served, door: Backend) -> None:
        self._served = served
        self._door = door

    def call(self, at: str, things: Things) -> tuple[bytes, list[str]]:
        """Carry an operation out as in its example; its answer, and the verbs of its entries."""
        operation = OPERATIONS[at]
        known = entries(self._served).keys()
        answer = self._door.call(operation, **arguments_of(operation, things))
        told = [each.verb for id_, each in entries(self._served).items() if id_ not in known]
        return encode(answer), told


@pytest.mark.parametrize("door", ["store", "server"])
def test_a_change_made_again_leaves_no_second_entry(
    served: Served, doors: dict[str, Backend], door: str
) -> None:
    watched = Watched(served, doors[door])
    for at in REPEATED:
        things = Things(served.app.store, HOME, dead=example_of(OPERATIONS[at]).dead)
        run_sql(
            served.app.url,
            f"update rota.schedule set blocked_by = '{things.run_id}' where name = '{things.name}'",
        )

        first, told = watched.call(at, things)
        again, told_again = watched.call(at, things)

        assert (told, told_again) == ([OPERATIONS[at].verb], []), at
        assert again == first, at


@pytest.mark.parametrize("door", ["store", "server"])
def test_what_is_undone_already_leaves_no_entry(
    served: Served, doors: dict[str, Backend], door: str
) -> None:
    watched = Watched(served, doors[door])
    for at, undo in UNDONE.items():
        things = Things(served.app.store, HOME)
        watched.call(at, things)

        _, told = watched.call(undo, things)
        _, told_again = watched.call(undo, things)

        assert (told, told_again) == ([OPERATIONS[undo].verb], []), undo


@pytest.mark.parametrize("door", ["store", "server"])
def test_a_bulk_that_finds_no_run_leaves_no_entry(
    served: Served, doors: dict[str, Backend], door: str
) -> None:
    watched = Watched(served, doors[door])

    _, rerun = watched.call("POST /runs/bulk/rerun", Things(served.app.store, HOME))
    ended = Things(served.app.store, HOME, dead=True)
    _, cancelled = watched.call("POST /runs/bulk/cancel", ended)

    assert (rerun, cancelled) == ([], [])
