"""Sheets: what the calls of one thread have printed at full load, one after the other."""

from __future__ import annotations

import msgspec

from rota.model.log import LogChunk
from rota.rules.sheaves import Part, are_near, sheaf, split
from rota.runtime.attempt_log import shown
from rota.runtime.log_chunks import storable
from rota.runtime.masking import Masker

ENTRY_COST = 400
"""What an attempt on a sheet costs in memory beside its text."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An attempt that has ended, and where its text ends on the sheet."""

    run_id: str
    job: str
    attempt: int
    fence: int
    first_at: int
    end: int


class Sheet(msgspec.Struct, frozen=True, gc=False):
    """The text of some attempts, none of them longer than a line may be."""

    text: str
    entries: list[Entry]

    @property
    def cost(self) -> int:
        """What it costs in memory."""
        return len(self.text) + ENTRY_COST * len(self.entries)


def bound(sheet: Sheet, masker: Masker) -> list[LogChunk]:
    """A row for all attempts of a sheet whose runs are near each other, masked."""
    text = storable(sheet.text)
    is_rough = "\r" in text or masker.is_needed(text)
    chunks: list[LogChunk] = []
    parts: list[Part] = []
    texts: list[str] = []
    first = sheet.entries[0]
    at = 0
    for entry in sheet.entries:
        end = entry.end
        said = text[at : end - 1] if text[end - 1] == "\n" else text[at:end]
        at = end
        if is_rough:
            said = masker("\n".join(map(shown, said.split("\n"))))
        run_id, first_at = entry.run_id, entry.first_at
        if entry.job != first.job or not are_near(first.run_id, run_id, first.first_at - first_at):
            chunks.append(sheaf(first.job, parts, texts))
            first, parts, texts = entry, [], []
        parts.append(Part(run_id, entry.attempt, entry.fence, first_at, said.count("\n") + 1))
        texts.append(said)
    chunks.append(sheaf(first.job, parts, texts))
    return chunks


def single(sheet: Sheet, masker: Masker) -> list[LogChunk]:
    """The same, a row for each attempt."""
    return [each for chunk in bound(sheet, masker) for each in split(chunk)]
