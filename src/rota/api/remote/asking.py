"""Helpers for the routes of remote workers: find the worker, bound the wait of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from litestar import post

from rota.api.identity.authorization import needs
from rota.api.remote.long_poll import WorkListener
from rota.api.server.request import ApiRequest
from rota.engine.workers.remote import RemoteWorkerRow, find_remote
from rota.errors import BadInput
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

T = TypeVar("T")

LONGEST_WAIT_MS = 60_000
REST_S = 0.02
"""The rest between two looks: on SQLite each commit of another process wakes every listener."""
MOST_BYTES = 8 * 1024 * 1024
"""The most bytes of a large request: results and log lines of many runs travel together."""


def worker_call(verb: str, *, changes: bool = True, large: bool = False) -> post:
    """Return the decorator of a call that one worker makes about itself or its runs."""
    more: dict[str, Any] = {"request_max_body_size": MOST_BYTES} if large else {}
    path = f"/worker/{{worker_id:str}}/{verb}"
    return post(path, **needs("worker", changes=changes), status_code=200, **more)


async def write(request: ApiRequest, work: Callable[[Tx], T]) -> T:
    """Change the caller's namespace without an audit entry: no person did this."""
    server_state = request.server_state
    return await server_state.call(lambda: server_state.room(request.only).write(work))


def find(request: ApiRequest, worker_id: str, tx: Tx) -> RemoteWorkerRow:
    """Return the worker if it came with the token of this request; UnknownWorker otherwise."""
    at = {"namespace": request.namespace, "token_id": request.credential.id}
    return find_remote(tx, worker_id, **at)


def wait_of(text: str) -> float:
    """Parse how long a request may wait, in seconds."""
    wait_ms = parse_duration(text)
    if wait_ms > LONGEST_WAIT_MS:
        raise BadInput(f"wait={text:.64} is longer than {LONGEST_WAIT_MS // 1000}s; ask again")
    return wait_ms / 1000


def end_with_server(request: ApiRequest, ear: WorkListener) -> None:
    """End the wait of a request when the server stops."""
    facts: dict[str, Any] = request.scope  # type: ignore[assignment]
    facts["ending"] = ear.end


def is_gone(request: ApiRequest) -> bool:
    """Whether the client has closed the connection."""
    facts: dict[str, Any] = request.scope  # type: ignore[assignment]
    ask = facts.get("is_gone")
    return bool(ask and ask())
