"""Plain calls of a graph: its jobs are called as functions, and the result is that of a run.

Nodes are called where they are written, nothing is retried, and a failure is raised. Anything that
only a run can do (choose a branch, go on after a failure) is refused before the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from rota.errors import NotAllowed
from rota.model.graphs.graph import Graph, Join, Node
from rota.rules.graphs.expressions.text import mentioned_in, tokens_of
from rota.rules.graphs.joins import Counts, Ending, JoinDecision, judge
from rota.rules.graphs.mentioned import nodes_with_error, values_of
from rota.rules.graphs.plan import GraphPlan
from rota.rules.graphs.references import mentions

T = TypeVar("T")
JOINS: tuple[Join, ...] = ("all_success", "none_failed", "none_failed_min_one_success")
"""The joins under which nothing runs after a failure."""


class PlainCall:
    """One call of a graph's function: its next node, and the nodes that were skipped."""

    def __init__(self, plan: GraphPlan) -> None:
        self._plan = plan
        self._left = iter(plan.graph.nodes)
        self._endings: dict[str, Ending] = {}
        self._raised: BaseException | None = None

    def node(
        self, target: Mapping[str, str], is_wanted: Callable[[], bool], work: Callable[[], T]
    ) -> T | None:
        """Return the result of the next node, whose target this must be; None if skipped."""
        node = next(self._left, None)
        if node is None or target != ({"job": node.job} if node.job else {"graph": node.graph}):
            raise self._differs()
        if not self._is_allowed(node.name) or not is_wanted():
            self._endings[node.name] = Ending.SKIPPED
            return None
        token = _CURRENT.set(None)  # inside of a handler, jobs are functions
        try:
            result = work()
        except BaseException as error:
            self._raised = error
            raise
        finally:
            _CURRENT.reset(token)
        self._endings[node.name] = Ending.SUCCESS
        return result

    def check_whole(self) -> None:
        """NotAllowed if the function has called fewer nodes than a run has."""
        if next(self._left, None) is not None:
            raise self._differs()

    def needs_run(self, error: TypeError) -> bool:
        """Whether the function used a part of a skipped node's result, which is None."""
        return error is not self._raised and Ending.SKIPPED in self._endings.values()

    def _is_allowed(self, name: str) -> bool:
        planned = self._plan.nodes[name]
        ended = [self._endings[parent] for parent in planned.parents]
        skipped = ended.count(Ending.SKIPPED)
        counts = Counts(total=len(ended), success=len(ended) - skipped, skipped=skipped)
        return judge(planned.join, counts) is JoinDecision.RUN

    def _differs(self) -> NotAllowed:
        return NotAllowed(
            f"graph {self._plan.graph.name!r}: a plain call makes other nodes than a run, as its "
            "function looks at what it is given; submit it"
        )


_CURRENT: ContextVar[PlainCall | None] = ContextVar("rota_plain_call", default=None)


def current_call() -> PlainCall | None:
    """Return the plain call of a graph that is under way here."""
    return _CURRENT.get()


@contextmanager
def calling(plan: GraphPlan) -> Iterator[None]:
    """Make calls of jobs inside the block call the nodes of this graph."""
    check_plain(plan)
    call = PlainCall(plan)
    token = _CURRENT.set(call)
    try:
        yield
        call.check_whole()
    except TypeError as error:
        if not call.needs_run(error):
            raise
        raise NotAllowed(
            f"graph {plan.graph.name!r}: a node was skipped, and a part of its result is asked "
            f"for ({error}); only a run can tell what comes of that. Submit it"
        ) from error
    finally:
        _CURRENT.reset(token)


def check_plain(plan: GraphPlan) -> None:
    """NotAllowed, naming the first node that only a run can carry out."""
    graph = plan.graph
    seen: set[str] = set()
    for node in graph.nodes:
        why = _why_not(node)
        above = next((name for name in plan.nodes[node.name].parents if name not in seen), None)
        if above is not None:
            why = why or f"it comes after {above!r}, which is written below it,"
        if why is not None:
            raise _refusal(graph, f"node {node.name!r}: {why}")
        seen.add(node.name)
    if _asks_how_nodes_ended(graph.result):
        raise _refusal(graph, "result: how a node ended")


def _refusal(graph: Graph, what: str) -> NotAllowed:
    return NotAllowed(f"graph {graph.name!r}: {what} is for graphs that run; submit it")


def _why_not(node: Node) -> str | None:
    if node.kind != "work":
        return f"kind={node.kind!r}"
    if node.join not in JOINS:
        return f"join={node.join!r}"
    asks = [value for _, value in values_of(node)]
    if node.when is not None:
        asks.append({"$expr": node.when})
    return "how another node ended" if any(map(_asks_how_nodes_ended, asks)) else None


def _asks_how_nodes_ended(value: object) -> bool:
    if any(nodes_with_error(value)):
        return True
    texts = [mention.text for mention in mentions(value) if mention.form == "$expr"]
    fields = [each for text in texts for each in mentioned_in(tokens_of(text)).fields]
    return any(field != "result" for _, field in fields)
