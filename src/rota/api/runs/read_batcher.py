"""Reads of single runs in batches: those that arrive during a read form the next one.

Most requests to a server are status reads; each alone would cost a thread's turn and a transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rota.engine.runs.deadlines import with_deadline
from rota.engine.runs.find import find_all
from rota.engine.runs.search.labels import with_labels
from rota.errors import UnknownRun
from rota.model.runs.run import RunView
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

FLIGHTS = 2
"""The most reads under way at once."""
MOST = 200

_Waiting = dict[tuple[str, str], list[asyncio.Future[RunView]]]
Found = Mapping[tuple[str, str], RunView]


class RunReadBatcher:
    """Batched reads, gathered on the event loop, run in threads; no answer predates its request."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._waiting: _Waiting = {}
        self._flying = 0

    async def find(self, run_id: str, *, namespace: str) -> RunView:
        """Return the run as it is now; UnknownRun when there is none."""
        future: asyncio.Future[RunView] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault((namespace, run_id), []).append(future)
        if self._flying < FLIGHTS:
            self._start()
        return await future

    def _start(self) -> None:
        if self._waiting:
            some = list(self._waiting)[:MOST]
            batch = {at: self._waiting.pop(at) for at in some}
            self._flying += 1
            flight = asyncio.ensure_future(self._fly(batch))
            flight.add_done_callback(lambda _: None)

    async def _fly(self, batch: _Waiting) -> None:
        try:
            views: Found = await self._server_state.read(
                lambda tx: _find(tx, batch), only={namespace for namespace, _ in batch}
            )
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            for futures in batch.values():
                for future in futures:
                    if not future.done():
                        future.set_exception(error)
        else:
            for at, futures in batch.items():
                for future in futures:
                    _answer(future, views.get(at), at[1])
        finally:
            self._flying -= 1
        self._start()


def _find(tx: Tx, batch: _Waiting) -> dict[tuple[str, str], RunView]:
    ids_by_namespace: dict[str, list[str]] = {}
    for namespace, run_id in batch:
        ids_by_namespace.setdefault(namespace, []).append(run_id)
    return {
        (namespace, view.id): with_deadline(tx, view)
        for namespace, run_ids in ids_by_namespace.items()
        for view in with_labels(
            tx, find_all(tx, run_ids, namespace=namespace).values(), namespace=namespace
        )
    }


def _answer(future: asyncio.Future[RunView], view: RunView | None, run_id: str) -> None:
    if future.done():
        return
    if view is None:
        future.set_exception(UnknownRun(run_id))
    else:
        future.set_result(view)
