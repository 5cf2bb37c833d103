"""Facts about an expression from its text alone: names, loops, and how much it copies.

The engine bounds steps, not sizes. `[x].map(a, a + a)` doubles x. A loop over a list that joins
long texts takes gigabytes in few steps. So does `map` over 10,000 items, as each step copies the
list so far. This module counts all of that.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

MAX_COPIES = 64
_TOKEN = re.compile(
    r"""\s+ | //[^\n]*
      | (?P<raw>[bB]?[rR][bB]?(?:'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|"[^"\n]*"))
      | (?P<string>[bB]?(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
                          |'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
      | (?P<number>[0-9][0-9A-Za-z.]*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_BUILDING = frozenset({"map", "filter"})
_MACROS = _BUILDING | {"exists", "all", "exists_one"}

Tokens = list[tuple[str, str]]


class Mentioned(NamedTuple):
    """The names that an expression mentions; mentioned nodes must be parents of its node."""

    nodes: frozenset[str]
    params: frozenset[str]
    item: bool
    run: frozenset[str] = frozenset()
    """The facts of the run that it mentions."""
    fields: frozenset[tuple[str, str]] = frozenset()
    """The nodes with the field that is used: `result`, `state`, `error` or `error.message`."""

    def errors(self) -> frozenset[str]:
        """Return the nodes whose errors the expression reads."""
        return frozenset(name for name, field in self.fields if field.startswith("error"))


class Loops(NamedTuple):
    """Upper bounds for the loops (`map`, `filter`, `all`, `exists`) of an expression."""

    copies: int
    """The most copies of a value that the answer can hold."""
    pluses: int
    """The number of additions inside loops."""
    inside: Mentioned
    """The names that are read in every step."""
    is_building: bool
    """Whether a loop builds a list."""


def tokens_of(text: str) -> Tokens:
    return [(match.lastgroup, match.group()) for match in _TOKEN.finditer(text) if match.lastgroup]


def mentioned_in(tokens: Tokens) -> Mentioned:
    nodes: set[str] = set()
    params: set[str] = set()
    run: set[str] = set()
    fields: set[tuple[str, str]] = set()
    has_item = False
    for at, (kind, text) in enumerate(tokens):
        if kind != "word" or _is_field(tokens, at):
            continue
        following = [each for _, each in tokens[at + 1 : at + 3]]
        name = following[1] if len(following) == 2 and following[0] == "." else ""  # noqa: PLR2004
        if text == "nodes" and name:
            nodes.add(name)
            fields.add((name, _field_at(tokens, at + 3)))
        elif text == "params" and name:
            params.add(name)
        elif text == "run" and name:
            run.add(name)
        has_item |= text in ("item", "index")
    return Mentioned(
        frozenset(nodes), frozenset(params), has_item, frozenset(run), frozenset(fields)
    )


def _field_at(tokens: Tokens, at: int) -> str:
    """Return the field of the node whose name ends here; for an error, also which part."""
    following = [text for _, text in tokens[at : at + 4]]
    if len(following) < 2 or following[0] != ".":  # noqa: PLR2004
        return ""
    has_part = following[1] == "error" and following[2:3] == ["."] and following[3:]
    return f"error.{following[3]}" if has_part else following[1]


def _is_field(tokens: Tokens, at: int) -> bool:
    """Whether the word stands after a dot that follows a value."""
    if at < 2 or tokens[at - 1][1] != ".":  # noqa: PLR2004
        return False
    kind, text = tokens[at - 2]
    return kind in ("word", "string", "raw", "number") or text in ")]}"


def loops_in(tokens: Tokens) -> Loops | None:
    """Return the loops, or None; takes time linear to the length, however they are nested."""
    copies = 1
    inside: list[tuple[str, str]] = []
    covered = 0
    is_building = False
    closings, places = _closings(tokens), _places(tokens)
    for at, (kind, text) in enumerate(tokens):
        if kind == "word" and text in _MACROS and _is_macro(tokens, at):
            is_building |= text in _BUILDING
            end = closings.get(at + 1, len(tokens))
            uses = places[tokens[at + 2][1]]
            count = bisect_left(uses, end) - bisect_left(uses, at + 3)
            copies = min(MAX_COPIES + 1, copies * max(1, count))
            inside += tokens[max(at + 2, covered) : end]
            covered = max(covered, end)
    if not covered:
        return None
    return Loops(copies, inside.count(("sign", "+")), mentioned_in(inside), is_building)


def _is_macro(tokens: Tokens, at: int) -> bool:
    return at + 2 < len(tokens) and tokens[at + 1][1] == "(" and tokens[at + 2][0] == "word"


def _closings(tokens: Tokens) -> dict[int, int]:
    """Return the closing position of each bracket that is closed."""
    closings: dict[int, int] = {}
    opened: list[int] = []
    for at, (kind, text) in enumerate(tokens):
        if kind == "sign" and text in "([{":
            opened.append(at)
        elif kind == "sign" and text in ")]}" and opened:
            closings[opened.pop()] = at
    return closings


def _places(tokens: Tokens) -> dict[str, list[int]]:
    """Return the positions of each word, in order."""
    places: dict[str, list[int]] = {}
    for at, (kind, text) in enumerate(tokens):
        if kind == "word":
            places.setdefault(text, []).append(at)
    return places
