"""The report of an import: the differences between two schedulers, and the choices made."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rota.rules.jobs.importers.report import Entry, Imported, Note

WIDTH = 100


def load_beat(source: str) -> tuple[Any, Any]:
    """Return the object of MODULE:OBJECT, and its module; an app with the modules of its tasks.

    Celery imports those of `include` and `autodiscover_tasks` only when a worker starts.
    """
    from rota.cli.loading import find_object, find_place
    from rota.errors import AppNotFound

    folders = (Path.cwd(),)
    value = find_object(source, folders=folders)
    load = getattr(getattr(value, "loader", None), "import_default_modules", None)
    if callable(load):
        try:
            load()
        except Exception as error:  # a module of theirs may raise anything
            reason = f"{type(error).__name__}: {error}"
            raise AppNotFound(f"the modules of the tasks of {source}: {reason}") from error
    return value, find_place(source, folders=folders)


def report_text(imported: Imported) -> str:
    """Return the report for people: the imports, then each difference once with its entries."""
    lines = [f"{len(imported.entries)} imported, {len(imported.skipped)} left out"]
    if imported.warnings:
        lines += ["", "look at this first:", *(f"  {each}" for each in imported.warnings)]
    if imported.entries:
        lines += ["", "imported:", *_rows(imported.entries)]
    for names, notes in _by_names(imported.entries).items():
        lines += ["", _title(names, len(imported.entries))]
        lines += [line for note in notes for line in _note(note)]
    for skipped in imported.skipped:
        lines += ["", f"left out: {skipped.text}  ({skipped.where})", f"  {skipped.reason}"]
    return "\n".join(lines) + "\n"


def report_document(imported: Imported) -> str:
    """Return the report as one JSON object, entry by entry."""
    return msgspec.json.encode(imported).decode() + "\n"


def _rows(entries: tuple[Entry, ...]) -> list[str]:
    longest = max(len(entry.name) for entry in entries)
    return [f"  {entry.name:<{longest}}  {entry.where}" for entry in entries]


def _by_names(entries: tuple[Entry, ...]) -> dict[tuple[str, ...], list[Note]]:
    """Return the notes by the entries that have them, those of most entries first."""
    holders: dict[Note, list[str]] = defaultdict(list)
    for entry in entries:
        for note in dict.fromkeys(entry.notes):
            holders[note].append(entry.name)
    groups: dict[tuple[str, ...], list[Note]] = defaultdict(list)
    for note, names in sorted(holders.items(), key=lambda each: -len(each[1])):
        groups[tuple(names)].append(note)
    return groups


def _title(names: tuple[str, ...], count: int) -> str:
    if len(names) == count and count > 1:
        return f"all {count}:"
    return fill(f"{', '.join(names)}:", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _note(note: Note) -> list[str]:
    lines = [f"  {note.topic:<10} {note.old}"]
    if note.default:
        lines.append(f"  {'':<10} by itself Rota: {note.default}")
    if note.chose:
        lines.append(f"  {'':<10} chosen: {note.chose}")
    return lines
