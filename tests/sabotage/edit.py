"""Sabotages: what a bug breaks, the text that makes it, the tests that must notice.

An edit names its place by statement or function, so that it stays short; it must fit the
source as it is today, and says so when it does not.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.source import PACKAGE

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_STATEMENT = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


class StaleEdit(Exception):
    """The source has changed; bring the sabotage up to date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement in a file of the package."""

    path: str
    within: str
    """The named statement of a .sql file; the function or class (`Calls.withdraw`) of a .py file.

    Empty: anywhere in the file.
    """
    old: str
    new: str = ""
    times: int = 1
    """In how many places of `within` the old text stands, all of which are replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotage:
    """A deliberate bug. Every test it names must fail with it and pass without it."""

    name: str
    breaks: str
    edits: tuple[Edit, ...]
    caught_by: tuple[str, ...]
    on_postgres: bool = False
    """Its tests need a server, which costs two seconds."""
    is_harmless: bool = False
    """The inverse: what it breaks is only a hint, and every test it names must still pass."""


def sabotaged_copy(folder: Path, edits: tuple[Edit, ...]) -> Path:
    """A copy of the package with the edits in it; returns what to put first on the path."""
    copy = folder / PACKAGE.name
    _mirror(PACKAGE, copy, {PACKAGE / edit.path for edit in edits})
    for edit in edits:
        path = copy / edit.path
        path.write_text(edited(path.read_text(), edit))
    return folder


def _mirror(source: Path, target: Path, changing: set[Path]) -> None:
    """Copy what changes and link to the rest, which is a third of the time of a trial."""
    target.mkdir(parents=True)
    above = {folder for path in changing for folder in path.parents}
    for entry in source.iterdir():
        if entry in changing:
            shutil.copyfile(entry, target / entry.name)
        elif entry in above:
            _mirror(entry, target / entry.name, changing)
        elif entry.name == "__pycache__":
            _mirror_compiled(entry, target / entry.name, {path.stem for path in changing})
        else:
            (target / entry.name).symlink_to(entry)


def _mirror_compiled(source: Path, target: Path, changing: set[str]) -> None:
    """Link to what Python has compiled; a changed module is compiled anew, in the copy."""
    target.mkdir()
    for entry in source.iterdir():
        if entry.name.partition(".")[0] not in changing:
            (target / entry.name).symlink_to(entry)


def edited(text: str, edit: Edit) -> str:
    """The text with the edit in its place; StaleEdit when it is not there as often as said."""
    start, end = _place(text, edit)
    part = text[start:end]
    found = part.count(edit.old)
    if found != edit.times:
        raise StaleEdit(
            f"{edit.path}: {edit.old!r} stands {found} times in {edit.within or 'the file'}, "
            f"not {edit.times}"
        )
    return text[:start] + part.replace(edit.old, edit.new) + text[end:]


def _place(text: str, edit: Edit) -> tuple[int, int]:
    if not edit.within:
        return 0, len(text)
    is_sql = edit.path.endswith(".sql")
    places = _statements(text, edit.within) if is_sql else _definitions(text, edit.within)
    if len(places) != 1:
        raise StaleEdit(f"{edit.path} defines {edit.within} {len(places)} times, not once")
    return places[0]


def _statements(text: str, name: str) -> list[tuple[int, int]]:
    heads = list(_STATEMENT.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    pairs = zip(heads, ends, strict=True)
    return [(head.end(), end) for head, end in pairs if head[1] == name]


def _definitions(text: str, name: str) -> list[tuple[int, int]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return [
        (starts[node.lineno - 1], starts[node.end_lineno or node.lineno])
        for full, node in _named(ast.parse(text))
        if f".{full}".endswith(f".{name}")
    ]


def _named(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Functions and classes with their dotted names: `Courier.tick`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            yield from _named(node, f"{prefix}{node.name}.")
        else:
            yield from _named(node, prefix)
