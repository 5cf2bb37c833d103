"""Stdout batches: output of successive attempts of one thread at full load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rota.model.logs.log import LogChunk
from rota.rules.shared_log_rows import Parts, are_near, gathered, shared_row
from rota.runtime.logs.attempt_log import shown
from rota.runtime.logs.chunks import storable
from rota.runtime.logs.masking import Masker

FACTS = 6
"""Fields per ended attempt: its run, job, number, fence, start, and where its text ends."""
ATTEMPT_COST = 400
"""Memory for an attempt in a batch, on top of its text."""


class StdoutBatch(msgspec.Struct, frozen=True, gc=False):
    """The text of some attempts, each no longer than a line may be."""

    text: str
    facts: list[Any]
    """The fields of all attempts in one flat list: a struct for each cost 0.3 us more."""

    @property
    def attempts(self) -> int:
        return len(self.facts) // FACTS

    @property
    def cost(self) -> int:
        """The memory that the batch takes."""
        return len(self.text) + ATTEMPT_COST * self.attempts


def bound(sheet: StdoutBatch, masker: Masker) -> list[LogChunk]:
    """Return one masked row for all attempts of a batch whose runs are near each other."""
    text = storable(sheet.text)
    run_ids, jobs, attempts, fences, first_ats, ends = _columns(sheet)
    is_plain = (
        len(set(jobs)) == 1
        and are_near(run_ids, first_ats)
        and all(text[end - 1] == "\n" for end in ends)
        and "\r" not in text
        and not masker.is_needed(text)
    )
    if not is_plain:
        return list(gathered(_single(sheet, text, masker)))
    spans = zip([0, *ends], ends, strict=False)
    lines = [text.count("\n", start, end) for start, end in spans]
    return [shared_row(jobs[0], Parts(run_ids, attempts, fences, first_ats, lines), text[:-1])]


def single(sheet: StdoutBatch, masker: Masker) -> list[LogChunk]:
    """Return a row for each attempt."""
    return list(_single(sheet, storable(sheet.text), masker))


def _single(sheet: StdoutBatch, text: str, masker: Masker) -> Iterator[LogChunk]:
    start = 0
    for run_id, job, attempt, fence, first_at, end in zip(*_columns(sheet), strict=True):
        lines = text[start:end].removesuffix("\n")
        start = end
        lines = masker("\n".join(map(shown, lines.split("\n"))))
        parts = Parts([run_id], [attempt], [fence], [first_at], [lines.count("\n") + 1])
        yield shared_row(job, parts, lines)


def _columns(sheet: StdoutBatch) -> list[list[Any]]:
    return [sheet.facts[at::FACTS] for at in range(FACTS)]
