"""The picture that all drawings share: boxes with text, edges, and groups that may be closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from rota.model.graphs.graph import Graph, Map, Node
from rota.rules.graphs.order import children_of, levels, order
from rota.rules.graphs.plan import GraphPlan
from rota.rules.graphs.references import form_of
from rota.rules.text.duration import format_duration

CLOSE_ABOVE = 50
"""The number of boxes above which each group is drawn as one box."""
_WHEN_CHARS = 40
_DEFAULT_CHARS = 20

ICONS: Mapping[str, str] = {
    "pending": "·",
    "scheduled": "◷",
    "queued": "○",
    "running": "▶",
    "suspended": "‖",
    "success": "✔",
    "failed": "✘",
    "upstream_failed": "⊘",
    "cancelled": "■",
    "skipped": "↷",
}
_WORST = (
    "failed",
    "upstream_failed",
    "running",
    "suspended",
    "queued",
    "scheduled",
    "cancelled",
    "pending",
    "success",
    "skipped",
)
"""The states in the order in which a closed group shows them, worst first."""


class NodeState(NamedTuple):
    """The state of a node in a run."""

    state: str
    took_ms: int | None = None
    done: int | None = None
    total: int | None = None
    """The number of instances of a mapped node."""


class Box(NamedTuple):
    """A node, or a group drawn as one."""

    name: str
    notes: tuple[str, ...]
    parents: tuple[str, ...]
    level: int
    group: str | None
    state: NodeState | None
    nodes: int = 1

    @property
    def status(self) -> str:
        """Return `✔ success 1.2s`, or nothing if the picture is not that of a run."""
        if self.state is None:
            return ""
        word = self.state.state
        parts = [ICONS.get(word, "?"), word.replace("_", " ")]
        if self.state.total is not None:
            parts.append(f"{self.state.done or 0}/{self.state.total}")
        if self.state.took_ms is not None:
            parts.append(format_duration(self.state.took_ms))
        return " ".join(parts)


class GraphPicture(NamedTuple):
    """Boxes in an order in which parents come first."""

    title: str
    boxes: dict[str, Box]


def picture(
    plan: GraphPlan, states: Mapping[str, NodeState] | None = None, *, close: bool | None = None
) -> GraphPicture:
    """Return the picture of a plan; `close` says whether groups are one box, None: by size."""
    is_closed = len(plan.nodes) > CLOSE_ABOVE if close is None else close
    homes = {name: _home(each.node, is_closed=is_closed) for name, each in plan.nodes.items()}
    parents: dict[str, dict[str, None]] = {home: {} for home in homes.values()}
    for name in plan.nodes:
        own = parents[homes[name]]
        above = (homes[parent] for parent in _shown_parents(plan, name))
        own.update({home: None for home in above if home != homes[name]})
    if not _is_ordered(parents):
        # Two groups that wait for nodes of each other cannot both be one box.
        return picture(plan, states, close=False)
    return GraphPicture(title_of(plan.graph), _boxes(plan, homes, parents, states))


def title_of(graph: Graph) -> str:
    """Return the title of a graph, such as `nightly(day: str, limit: int = 5)`."""
    shown = [
        f"{name}: {each.type}"
        + (
            ""
            if each.default is msgspec.UNSET
            else f" = {_short(repr(each.default), _DEFAULT_CHARS)}"
        )
        for name, each in graph.parameters.items()
    ]
    return f"{graph.name}({', '.join(shown)})"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def notes_of(node: Node) -> Iterator[str]:
    """Yield short notes on what is special about a node."""
    if node.graph is not None:
        yield f"graph {node.graph}"
    elif node.job != node.name:
        yield f"job {node.job}"
    if node.kind != "work":
        yield node.kind.replace("_", " ")
    if node.join != "all_success":
        yield node.join.replace("_", " ")
    if node.when is not None:
        yield f"when {_short(' '.join(node.when.split()), _WHEN_CHARS)}"
    if node.map is not None:
        yield _map_text(node.map)
    if node.cache is not None:
        yield f"cached {node.cache.ttl or 'for ever'}"


def _map_text(mapping: Map) -> str:
    over = mapping.over
    if isinstance(over, dict):
        form = form_of(over) or ""
        text = f"each of {over[form]}" if form else "each"
    else:
        text = f"{len(over):,} items"
    if mapping.batch > 1:
        text += f" by {mapping.batch:,}"
    return text + (f", {mapping.concurrency:,} at once" if mapping.concurrency else "")


def _shown_parents(plan: GraphPlan, name: str) -> list[str]:
    """Return the parents to draw; of those a teardown waits for, only the last ones are drawn."""
    planned = plan.nodes[name]
    if planned.node.kind != "teardown":
        return list(planned.parents)
    waited = set(planned.parents)
    return [parent for parent in planned.parents if not waited & set(plan.children[parent])]


def _home(node: Node, *, is_closed: bool) -> str:
    return f"{node.group.partition('/')[0]}/" if is_closed and node.group else node.name


def _is_ordered(parents: Mapping[str, dict[str, None]]) -> bool:
    above_of = {name: list(above) for name, above in parents.items()}
    waiting = {name: len(above) for name, above in above_of.items()}
    below = children_of(above_of)
    ready = [name for name, count in waiting.items() if not count]
    placed = 0
    while ready:
        placed += 1
        for child in below[ready.pop()]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return placed == len(parents)


def _boxes(
    plan: GraphPlan,
    homes: Mapping[str, str],
    parents: Mapping[str, dict[str, None]],
    states: Mapping[str, NodeState] | None,
) -> dict[str, Box]:
    edges = {name: tuple(above) for name, above in parents.items()}
    ordered = order(edges, children_of(edges))
    level = levels(ordered, edges)
    members: dict[str, list[str]] = {name: [] for name in edges}
    for name, home in homes.items():
        members[home].append(name)
    boxes: dict[str, Box] = {}
    for name in ordered:
        inside = members[name]
        node = plan.nodes[inside[0]].node
        is_group = name.endswith("/")
        boxes[name] = Box(
            name=name,
            notes=(f"{len(inside)} nodes",) if is_group else tuple(notes_of(node)),
            parents=edges[name],
            level=level[name],
            group=None if is_group else node.group,
            state=None if states is None else _state(inside, states),
            nodes=len(inside),
        )
    return boxes


def _state(inside: list[str], states: Mapping[str, NodeState]) -> NodeState:
    states_inside = [states.get(name, NodeState("pending")) for name in inside]
    if len(states_inside) == 1:
        return states_inside[0]
    words = {each.state for each in states_inside}
    worst = next((word for word in _WORST if word in words), states_inside[0].state)
    return NodeState(
        worst, done=sum(each.state == "success" for each in states_inside), total=len(states_inside)
    )
