"""The order of nodes: parents first, ties as defined; a cycle is reported as a path."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from rota.errors import BadGraph

Parents = Mapping[str, Sequence[str]]
Children = dict[str, list[str]]
_SHOWN = 12


def children_of(parents: Parents) -> Children:
    """Return the edges from parent to child; children are in the order of their definition."""
    children: Children = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in above:
            children[parent].append(name)
    return children


def order(parents: Parents, children: Children) -> list[str]:
    """Return all names, parents first; among candidates, the one defined first.

    A cycle raises BadGraph with the path around it.
    """
    names = list(parents)
    places = {name: at for at, name in enumerate(names)}
    waiting = [len(above) for above in parents.values()]
    ready = [at for at, count in enumerate(waiting) if not count]
    ordered: list[str] = []
    while ready:
        name = names[heapq.heappop(ready)]
        ordered.append(name)
        for child in children[name]:
            at = places[child]
            waiting[at] -= 1
            if not waiting[at]:
                heapq.heappush(ready, at)
    if len(ordered) < len(names):
        placed = set(ordered)
        raise _cycle({name: above for name, above in parents.items() if name not in placed})
    return ordered


def _cycle(parents: Parents) -> BadGraph:
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        way: list[str] = error.args[1]
        if len(way) > _SHOWN:
            half = _SHOWN // 2
            way = [*way[:half], f"... {len(way) - _SHOWN:,} more ...", *way[-half:]]
        return BadGraph(f"the nodes wait for each other in a circle: {' -> '.join(way)}")
    raise AssertionError("nodes were left over, but there is no cycle")


def levels(ordered: Sequence[str], parents: Parents) -> dict[str, int]:
    """Return the length of the longest path above each node."""
    level_of: dict[str, int] = {}
    for name in ordered:
        level = 0
        for parent in parents[name]:
            if level_of[parent] >= level:
                level = level_of[parent] + 1
        level_of[name] = level
    return level_of


def remaining(
    ordered: Sequence[str], children: Mapping[str, Sequence[str]], durations: Mapping[str, float]
) -> dict[str, float]:
    """Return the least time from the start of each node to the end of all that comes after it."""
    lengths: dict[str, float] = {}
    for name in reversed(ordered):
        after = max((lengths[child] for child in children[name]), default=0.0)
        lengths[name] = durations.get(name, 0.0) + after
    return lengths


def critical_path(
    ordered: Sequence[str], children: Mapping[str, Sequence[str]], durations: Mapping[str, float]
) -> tuple[list[str], float]:
    """Return the longest path and its duration; a run cannot be faster than this."""
    lengths = remaining(ordered, children, durations)
    if not lengths:
        return [], 0.0
    has_parent = {child for below in children.values() for child in below}
    roots = [name for name in ordered if name not in has_parent]
    way = [max(roots, key=lengths.__getitem__)]
    while children[way[-1]]:
        way.append(max(children[way[-1]], key=lengths.__getitem__))
    return way, lengths[way[0]]


def taken_path(parents: Parents, ended: Mapping[str, float]) -> list[str]:
    """Return the path that decided when a run ended: each node's last parent, from the end.

    If several ended at the same moment, the path takes the one that no other of them comes after.
    """
    if not ended:
        return []
    end = max(ended.values())
    last = [name for name, at in ended.items() if at == end]
    before_last = {parent for name in last for parent in parents[name]}
    way = [next((name for name in last if name not in before_last), last[0])]
    while before := [name for name in parents[way[-1]] if name in ended]:
        way.append(max(before, key=ended.__getitem__))
    return way[::-1]


def urgencies(lengths: Mapping[str, float], *, highest: int) -> dict[str, int]:
    """Return priorities from 0 to `highest`; a longer way to the end gives a higher priority."""
    longest = max(lengths.values(), default=0.0)
    if not longest:
        return dict.fromkeys(lengths, 0)
    return {name: round(highest * each / longest) for name, each in lengths.items()}
