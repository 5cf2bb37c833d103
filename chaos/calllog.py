"""The log of a client's calls: a line before each call and one after it, on disk at once."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Answer = Literal["ok", "fail", "refused", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One call and its answer; `unknown` also when the client died before it got one."""

    client: int
    turn: int
    op: str
    answer: Answer
    numbers: tuple[int, ...] = ()
    key: str | None = None
    ids: tuple[str, ...] = ()
    """The ids of the runs submitted, or of the one to cancel."""
    state: str = ""
    """The state that a cancel found."""
    answered_ms: int = 0


class CallLog:
    """Appends to one file; a line that a kill has torn is closed first."""

    def __init__(self, path: Path) -> None:
        is_torn = path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        if is_torn:
            os.write(self._file, b"\n")

    def write(self, **facts: Any) -> None:
        """Write a line; returns when it is on disk."""
        line = json.dumps({**facts, "at": time.time_ns() // 1_000_000})
        os.write(self._file, line.encode() + b"\n")
        os.fsync(self._file)


def read_calls(path: Path, client: int) -> list[Logged]:
    """Return all calls of a client in order."""
    found: list[Logged] = []
    begun: dict[str, Any] | None = None
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            fact = json.loads(line)
        except ValueError:
            continue  # torn by a kill; its call stays unknown
        if fact["phase"] == "begin":
            if begun is not None:
                found.append(_logged(client, begun, {"phase": "unknown", "at": 0}))
            begun = fact
        elif begun is not None:
            found.append(_logged(client, begun, fact))
            begun = None
    if begun is not None:
        found.append(_logged(client, begun, {"phase": "unknown", "at": 0}))
    return found


def _logged(client: int, begun: dict[str, Any], answer: dict[str, Any]) -> Logged:
    return Logged(
        client=client,
        turn=begun["turn"],
        op=begun["op"],
        answer=answer["phase"],
        numbers=tuple(begun.get("numbers", ())),
        key=begun.get("key"),
        ids=tuple(answer.get("ids") or begun.get("ids") or ()),
        state=answer.get("state", ""),
        answered_ms=answer["at"],
    )
