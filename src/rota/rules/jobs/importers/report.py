"""The result of an import: entries of a job file, and how the two systems differ for each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from rota.errors import BadFile
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.files.write import write_jobs

_BAD = re.compile(r"[^A-Za-z0-9_.:/-]+")
_DOTS = re.compile(r"\.{2,}")
_LONGEST = 100


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One point in which the old system and Rota may differ."""

    topic: str
    """The topic: dst, days, overlap, catch-up, retries, zone, output, user..."""
    old: str
    """The behaviour of the old system."""
    default: str = ""
    """The default of Rota, where it differs."""
    chose: str = ""
    """The setting that keeps the old behaviour; empty where it cannot be kept."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One translated entry."""

    name: str
    where: str
    job: dict[str, Any]
    notes: tuple[Note, ...] = ()


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that was left out, with the reason."""

    where: str
    text: str
    reason: str


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """All entries of the given files."""

    entries: tuple[Entry, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    """Suspicious or skipped parts of the files."""


class Collector:
    """Collects entries under unique names; entries that Rota refuses are left out with why."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._skipped: list[Skipped] = []
        self._warnings: list[str] = []

    def add(
        self, name: str, where: str, job: dict[str, Any], notes: Iterable[Note], *, text: str = ""
    ) -> None:
        """Add an entry; `text` is its form in the old system."""
        entry = Entry(name=self._free(name), where=where, job=job, notes=tuple(notes))
        try:
            read_bundle(write_jobs({entry.name: job}).encode(), "import")
        except BadFile as error:
            self.skip(where, text or name, str(error).split(": ", 2)[-1])
        else:
            self._entries[entry.name] = entry

    def skip(self, where: str, text: str, reason: str) -> None:
        self._skipped.append(Skipped(where=where, text=text[:200], reason=reason))

    def warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    def imported(self) -> Imported:
        return Imported(
            entries=tuple(self._entries.values()),
            skipped=tuple(self._skipped),
            warnings=tuple(self._warnings),
        )

    def _free(self, base: str) -> str:
        name = _DOTS.sub(".", _BAD.sub("-", base)).strip("-./:")[:_LONGEST] or "job"
        candidate, number = name, 2
        while candidate in self._entries:
            candidate, number = f"{name}-{number}", number + 1
        return candidate


def escaped(text: str) -> str:
    """Double the braces: in a job file a single brace marks an argument."""
    return text.replace("{", "{{").replace("}", "}}")


def joined(parts: Iterable[Imported]) -> Imported:
    """Join the imports of several files; a duplicate name gets a number."""
    collector = Collector()
    skipped: list[Skipped] = []
    for part in parts:
        for warning in part.warnings:
            collector.warn(warning)
        for entry in part.entries:
            collector.add(entry.name, entry.where, entry.job, entry.notes)
        skipped += part.skipped
    whole = collector.imported()
    return msgspec.structs.replace(whole, skipped=(*whole.skipped, *skipped))
