"""Job files and a server: what they would change, and the change itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from rota.client.documents import Answer, ms_or_none
from rota.clock import to_datetime, to_ms
from rota.errors import BadFile
from rota.model.plan import Change, Leftover, Plan, RunChange, Wish

if TYPE_CHECKING:
    from rota.client.client import Client


class _Moved(Answer):
    schedule: str
    verb: Literal["add", "remove", "move"]
    old: datetime | None
    new: datetime | None


class _Plan(Answer):
    changes: tuple[Change, ...]
    unchanged: int
    leftovers: tuple[Leftover, ...]
    runs: tuple[_Moved, ...]
    until: datetime
    cut: tuple[str, ...]


class ServedFiles:
    """Files of this machine, read here and understood there."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def plan(self, paths: Sequence[str], wish: Wish | None = None) -> Plan:
        """What an apply of these files would change."""
        return _view(self._client.line.post("/files/plan", _Plan, _body(paths, wish or Wish())))

    def apply(self, paths: Sequence[str], wish: Wish | None = None) -> Plan:
        """Make it so, in one transaction; gives what was changed."""
        return _view(self._client.line.post("/files/apply", _Plan, _body(paths, wish or Wish())))


def _body(paths: Sequence[str], wish: Wish) -> dict[str, Any]:
    return {
        "files": [{"name": path, "text": _text(path)} for path in paths],
        "prune": wish.prune,
        "takeOver": wish.take_over,
        "since": None if wish.start is None else to_datetime(wish.start),
        "horizon": f"{wish.horizon_ms}ms",
    }


def _text(path: str) -> str:
    from rota.app.files import read_file  # noqa: PLC0415  # few apply files

    try:
        return read_file(path).decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not UTF-8: {error}") from error


def _view(plan: _Plan) -> Plan:
    return Plan(
        changes=plan.changes,
        unchanged=plan.unchanged,
        leftovers=plan.leftovers,
        runs=tuple(
            RunChange(
                schedule=each.schedule,
                verb=each.verb,
                old=ms_or_none(each.old),
                new=ms_or_none(each.new),
            )
            for each in plan.runs
        ),
        until=to_ms(plan.until),
        cut=plan.cut,
    )
