"""The nodes of a run as a tree: groups and maps with counts, sub-graphs unfolded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rota.cli.times import lasted
from rota.model.graphs.run_nodes import MapProgress, NodeView
from rota.rules.graphs.progress import WAITS


class Branch(NamedTuple):
    """One line of a tree."""

    label: str
    """The label, after the lines that lead to it."""
    word: str
    about: str
    is_heading: bool = False
    """Whether this is the line of a group, which has no state of its own."""


class _Twig:
    """A node, a group, or the root, with everything below it."""

    def __init__(self, name: str, node: NodeView | None = None) -> None:
        self.name = name
        self.node = node
        self.below: dict[str, _Twig] = {}

    def child(self, key: str, name: str) -> _Twig:
        return self.below.setdefault(key, _Twig(name))

    def counts(self) -> tuple[int, int]:
        """Return the number of nodes that have ended, and of all, here and below."""
        own = (0, 0) if self.node is None else (int(self.node.state not in WAITS), 1)
        inner = [each.counts() for each in self.below.values()]
        return own[0] + sum(done for done, _ in inner), own[1] + sum(total for _, total in inner)


def instances_of(progress: MapProgress, noun: str = "") -> str:
    """Return `3 of 5 instances, 1 kept, 1 failed`."""
    bad = f", {progress.failed:,} failed" if progress.failed else ""
    note = f", {progress.kept:,} kept" if progress.kept else ""
    return f"{progress.done:,} of {progress.total:,}{noun}{note}{bad}"


def branches(nodes: Mapping[str, NodeView]) -> list[Branch]:
    """Return the lines of a tree of nodes by path; a group stands where its first node does."""
    root = _Twig("")
    homes: dict[str, _Twig] = {"": root}
    for path, node in nodes.items():
        above, _, name = path.rpartition("/")
        home = homes.get(above, root)
        for part in (node.group or "").split("/") if node.group else ():
            home = home.child(f"group {part}", part)
        twig = home.child(f"node {name}", name)
        twig.node = node
        homes[path] = twig
    return _lines(root, "")


def _lines(twig: _Twig, lead: str) -> list[Branch]:
    lines: list[Branch] = []
    below = list(twig.below.values())
    for at, each in enumerate(below):
        is_last = at == len(below) - 1
        label = f"{lead}{'└─' if is_last else '├─'} {each.name}"
        if each.node is None:
            done, total = each.counts()
            lines.append(Branch(label, "", f"{done:,} of {total:,}", is_heading=True))
        else:
            lines.append(Branch(label, each.node.word, _about(each)))
        lines += _lines(each, f"{lead}{'   ' if is_last else '│  '}")
    return lines


def _about(twig: _Twig) -> str:
    node = twig.node
    if node is None:
        return ""
    parts = []
    if node.map is not None:
        parts.append(instances_of(node.map))
    if node.finished_at is not None:
        parts.append(lasted(node.started_at, node.finished_at))
    if node.attempt is not None and node.attempt > 1:
        parts.append(f"attempt {node.attempt}")
    if node.reason:
        parts.append(node.reason[:80])
    return "  ".join(parts)
