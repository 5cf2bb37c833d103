"""Layout of a graph: one column per level, few crossings, lines routed around boxes.

This is a small layered layout. A line that spans several levels gets a slot in each column between,
so it never crosses a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

SWEEPS = 6
"""The number of passes over the columns; more passes change little."""


class Size(NamedTuple):
    width: int
    height: int


class Placed(NamedTuple):
    """The position of a box's upper left corner."""

    x: int
    y: int
    size: Size

    @property
    def left(self) -> tuple[int, int]:
        return self.x, self.y + self.size.height // 2

    @property
    def right(self) -> tuple[int, int]:
        return self.x + self.size.width, self.y + self.size.height // 2


class Layout(NamedTuple):
    """All boxes, and each line as a list of points."""

    boxes: dict[str, Placed]
    lines: list[tuple[str, str, list[tuple[int, int]]]]
    size: Size


class Gaps(NamedTuple):
    between_columns: int = 56
    between_rows: int = 18
    margin: int = 20
    line: int = 10
    """The height of the slot through which a line passes a column."""


def lay_out(
    sizes: Mapping[str, Size],
    level: Mapping[str, int],
    edges: Sequence[tuple[str, str]],
    gaps: Gaps,
) -> Layout:
    """Place boxes from left to right; `level` grows along every edge."""
    columns, chains = _columns(sizes, level, edges)
    neighbours = _neighbours(chains)
    for sweep in range(SWEEPS):
        _sort_columns(columns, neighbours, backwards=bool(sweep % 2))
    return _place(columns, chains, sizes, gaps)


Slot = tuple[str, str, int] | str
"""A box, or the slot where a line passes a column: parent, child, level."""


def _columns(
    sizes: Mapping[str, Size], level: Mapping[str, int], edges: Sequence[tuple[str, str]]
) -> tuple[list[list[Slot]], list[list[Slot]]]:
    columns: list[list[Slot]] = [[] for _ in range(1 + max(level.values(), default=0))]
    for name in sizes:
        columns[level[name]].append(name)
    chains: list[list[Slot]] = []
    for parent, child in edges:
        passed: list[Slot] = [
            (parent, child, between) for between in range(level[parent] + 1, level[child])
        ]
        for at, slot in enumerate(passed, start=level[parent] + 1):
            columns[at].append(slot)
        chains.append([parent, *passed, child])
    return columns, chains


def _neighbours(chains: Sequence[Sequence[Slot]]) -> dict[Slot, tuple[list[Slot], list[Slot]]]:
    """Return the left and right neighbours of each slot."""
    by_slot: dict[Slot, tuple[list[Slot], list[Slot]]] = {}
    for chain in chains:
        for one, two in pairwise(chain):
            by_slot.setdefault(one, ([], []))[1].append(two)
            by_slot.setdefault(two, ([], []))[0].append(one)
    return by_slot


def _sort_columns(
    columns: list[list[Slot]],
    neighbours: Mapping[Slot, tuple[list[Slot], list[Slot]]],
    *,
    backwards: bool,
) -> None:
    """Move each slot to the middle of its neighbours in the column before; ties stay."""
    places: dict[Slot, float] = {}
    side = 1 if backwards else 0
    for column in reversed(columns) if backwards else columns:
        middles = dict(_shares(column))
        for slot in column:
            near = [places[each] for each in neighbours.get(slot, ([], []))[side]]
            if near:
                middles[slot] = sum(near) / len(near)
        column.sort(key=middles.__getitem__)
        places |= _shares(column)


def _shares(column: Sequence[Slot]) -> list[tuple[Slot, float]]:
    """Return each slot's position as a share of the column's height."""
    return [(slot, at / max(1, len(column) - 1)) for at, slot in enumerate(column)]


def _place(
    columns: list[list[Slot]],
    chains: Sequence[Sequence[Slot]],
    sizes: Mapping[str, Size],
    gaps: Gaps,
) -> Layout:
    def size_of(slot: Slot) -> Size:
        return sizes[slot] if isinstance(slot, str) else Size(0, gaps.line)

    heights = [
        sum(size_of(slot).height for slot in column) + gaps.between_rows * (len(column) - 1)
        for column in columns
    ]
    tallest = max(heights, default=0)
    places: dict[Slot, Placed] = {}
    x = gaps.margin
    for column, height in zip(columns, heights, strict=True):
        width = max((size_of(slot).width for slot in column), default=0)
        y = gaps.margin + (tallest - height) // 2
        for slot in column:
            own = size_of(slot)
            places[slot] = Placed(x, y, own if isinstance(slot, str) else Size(width, own.height))
            y += own.height + gaps.between_rows
        x += width + gaps.between_columns
    total = Size(x - gaps.between_columns + gaps.margin, tallest + 2 * gaps.margin)
    boxes = {slot: place for slot, place in places.items() if isinstance(slot, str)}
    return Layout(boxes, [_line(chain, places) for chain in chains], total)


def _line(
    chain: Sequence[Slot], places: Mapping[Slot, Placed]
) -> tuple[str, str, list[tuple[int, int]]]:
    first, last = places[chain[0]], places[chain[-1]]
    points = [first.right]
    for slot in chain[1:-1]:
        points += [places[slot].left, places[slot].right]
    points.append(last.left)
    return str(chain[0]), str(chain[-1]), points
