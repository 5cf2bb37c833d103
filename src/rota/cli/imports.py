"""The report of an import: where two schedulers differ, and what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rota.rules.importers.report import Imported, Note


def report_text(found: Imported) -> str:
    """Entry by entry, for people."""
    lines = [f"{len(found.entries)} imported, {len(found.skipped)} left out"]
    for entry in found.entries:
        lines.append(f"\n{entry.name}  ({entry.where})")
        lines += [line for note in entry.notes for line in _note(note)]
    for skipped in found.skipped:
        lines.append(f"\nleft out: {skipped.text}  ({skipped.where})")
        lines.append(f"  {skipped.reason}")
    return "\n".join(lines) + "\n"


def report_document(found: Imported) -> str:
    """The same as one JSON object."""
    return msgspec.json.encode(found).decode() + "\n"


def _note(note: Note) -> list[str]:
    lines = [f"  {note.topic:<10} {note.old}"]
    if note.default:
        lines.append(f"  {'':<10} by itself Rota: {note.default}")
    if note.chose:
        lines.append(f"  {'':<10} chosen: {note.chose}")
    return lines
