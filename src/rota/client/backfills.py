"""Backfills behind a server: the past instants of a schedule as runs."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, ms_or_none
from rota.clock import elapsed_s, to_ms
from rota.engine.schedules.backfills.fill import BackfillInstant
from rota.engine.schedules.backfills.span import BackfillRequest
from rota.engine.schedules.backfills.views import BackfillView, Reprocess
from rota.errors import BadOption, RunNotFinished
from rota.rules.text.duration import parse_duration

if TYPE_CHECKING:
    from rota.client.client import Client

LOOK_S = 0.5
MOST_PLANNED = 100
"""Instants that a server tells of in a preview."""
Told = Callable[[BackfillView], None]


class _Planned(Answer):
    at: datetime
    starts: bool
    state: str | None


class _Backfill(Answer):
    id: str
    schedule: str | None
    begin: datetime = msgspec.field(name="from")
    until: datetime
    order: Literal["oldest", "newest"]
    reprocess: Reprocess
    concurrency: int | None
    state: Literal["active", "done", "cancelled", "error"]
    note: str | None
    total: int
    seen: int
    started: int
    succeeded: int
    failed: int
    live: int
    created_at: datetime
    ended_at: datetime | None


class _Begun(Answer):
    backfill: _Backfill | None
    planned: list[_Planned]


class ServedBackfill:
    """One backfill, by its id."""

    def __init__(self, client: Client, backfill_id: str) -> None:
        self._client = client
        self.id = backfill_id

    def __repr__(self) -> str:
        return f"<ServedBackfill {self.id}>"

    def show(self) -> BackfillView:
        """How far it is."""
        return _view(self._client.line.get(_at(self.id), _Backfill))

    def wait(self, timeout: str | float | None = None, *, told: Told | None = None) -> BackfillView:
        """How it ended; `told` hears of its progress. RunNotFinished when it takes longer."""
        end_s = float("inf") if timeout is None else elapsed_s() + parse_duration(timeout) / 1000
        while True:
            view = self.show()
            if told is not None:
                told(view)
            if view.state != "active" and not view.live:
                return view
            if elapsed_s() >= end_s:
                raise RunNotFinished(f"backfill {self.id} has {view.live} runs that have not ended")
            time.sleep(LOOK_S)

    def cancel(self, *, note: str | None = None) -> None:
        """Make no more runs; those that are there go on."""
        body = {} if note is None else {"note": note}
        self._client.line.post(f"{_at(self.id)}/cancel", Answer, body)


class ServedBackfills:
    """What `client.schedules` knows of backfills."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, schedule: str | None = None, *, limit: int = 50) -> builtins.list[BackfillView]:
        """The newest first."""
        filters = {"schedule": schedule}
        return [
            _view(each)
            for each in self._client.pages("/backfills", _Backfill, filters, limit=limit)
        ]

    def find(self, backfill_id: str) -> ServedBackfill:
        """A handle by its id."""
        return ServedBackfill(self._client, backfill_id)

    def start(self, name: str, wish: BackfillRequest, *, most: int | None = None) -> ServedBackfill:
        """Begin; schedulers do the work. A range of more than `most` firings is refused."""
        begun = self._client.line.post(_of(name), _Begun, _body(wish, most))
        if begun.backfill is None:
            raise BadOption(f"the server began no backfill of {name}")
        return ServedBackfill(self._client, begun.backfill.id)

    def preview(
        self,
        name: str,
        wish: BackfillRequest,
        *,
        most: int | None = None,
        limit: int = MOST_PLANNED,
    ) -> builtins.list[BackfillInstant]:
        """What it would do with the first instants of the range; nothing is written."""
        if limit > MOST_PLANNED:
            raise BadOption(f"limit={limit}: a server previews up to {MOST_PLANNED} instants")
        told = self._client.line.post(
            _of(name), _Begun, _body(wish, most) | {"dryRun": True}
        ).planned
        return [
            BackfillInstant(instant=to_ms(each.at), starts=each.starts, state=each.state)
            for each in told[:limit]
        ]


def _body(wish: BackfillRequest, most: int | None) -> dict[str, Any]:
    start, end = wish.start, wish.end
    said = {
        "from": start.isoformat() if isinstance(start, datetime) else start,
        "until": end.isoformat() if isinstance(end, datetime) else end,
        "order": "newest" if wish.newest_first else "oldest",
        "reprocess": wish.reprocess,
        "concurrency": wish.parallel,
        "args": None if wish.args is None else dict(wish.args),
        "most": most,
    }
    return {name: value for name, value in said.items() if value is not None}


def _at(backfill_id: str) -> str:
    return f"/backfills/{quote(backfill_id, safe='')}"


def _of(name: str) -> str:
    return f"/schedules/{quote(name, safe='')}/backfill"


def _view(found: _Backfill) -> BackfillView:
    facts: dict[str, Any] = {
        name: getattr(found, name)
        for name in BackfillView.__struct_fields__
        if name in _Backfill.__struct_fields__
    }
    return BackfillView(
        **facts
        | {
            "from_at": to_ms(found.begin),
            "to_at": to_ms(found.until),
            "newest_first": found.order == "newest",
            "parallel": found.concurrency,
            "created_at": to_ms(found.created_at),
            "ended_at": ms_or_none(found.ended_at),
        }
    )
