"""The topics that a client subscribes to, and its position when it left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from rota.errors import BadInput
from rota.ids import is_id

PLAIN = ("runs", "queues", "workers", "changes")
MOST_LOGS = 5
"""The most runs whose logs one stream follows."""
MOST_CLAIMS = 20
"""The most claims of one run in the id of an event, the latest ones.

A run may be tried a thousand times.
"""
_RESUME = re.compile(r"(\d{1,15})((?:/[0-9a-f-]{36}=[0-9.,]{0,500})*)")

Ends = Mapping[int, int]
"""The last line of each claim that a client has seen."""


class Topics(NamedTuple):
    """The topics of a stream."""

    runs: bool
    queues: bool
    workers: bool
    logs: tuple[str, ...] = ()
    changes: bool = False


class Resume(NamedTuple):
    """The position that a client resumes from, read from the id of its last event."""

    floor: int
    """The floor: the client has seen every event from before it."""
    logs: Mapping[str, Ends]


def parse_topics(text: str) -> Topics:
    """Parse `runs,queues,workers,changes,logs:RUN`; BadInput names a topic that does not exist."""
    words = [word.strip() for word in text.split(",")]
    logs = []
    for word in words:
        kind, _, run_id = word.partition(":")
        if kind == "logs" and is_id(run_id):
            logs.append(run_id)
        elif word not in PLAIN:
            raise BadInput(
                f"topics: {word!r:.64} is none; name some of {', '.join(PLAIN)}, logs:RUN"
            )
    if len(logs) > MOST_LOGS:
        raise BadInput(f"topics: one stream follows the lines of up to {MOST_LOGS} runs")
    plain = ("runs" in words, "queues" in words, "workers" in words)
    return Topics(*plain, tuple(dict.fromkeys(logs)), "changes" in words)


def resume_text(resume: Resume) -> str:
    """Return the position as the id of an event."""
    parts = [str(resume.floor)]
    for run_id, ends in resume.logs.items():
        latest = sorted(ends.items())[-MOST_CLAIMS:]
        marks = ",".join(f"{claim}.{seq}" for claim, seq in latest)
        parts.append(f"{run_id}={marks}")
    return "/".join(parts)


def parse_resume(text: str | None) -> Resume | None:
    """Parse `Last-Event-ID`; None if there is none, BadInput if it is not an id of ours."""
    if not text:
        return None
    found = _RESUME.fullmatch(text)
    try:
        if found is not None:
            logs = dict(_ends(part) for part in found[2].split("/")[1:])
            return Resume(int(found[1]), logs)
    except ValueError:
        pass
    raise BadInput(f"Last-Event-ID {text!r:.64} is not the id of an event of this server")


def _ends(part: str) -> tuple[str, dict[int, int]]:
    run_id, _, marks = part.partition("=")
    pairs = [mark.split(".") for mark in marks.split(",") if mark]
    return run_id, {int(claim): int(seq) for claim, seq in pairs}
