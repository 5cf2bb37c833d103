"""Effects of a node's ending beyond its children's joins: branches, modes, the whole run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from rota.errors import BadResult
from rota.model.graphs.graph import ASIDE, Mode
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.plan import GraphPlan
from rota.rules.graphs.scope import reachable
from rota.rules.text.checks import hint

Outcome = Literal["success", "failed"]


class Reaction(NamedTuple):
    """The effect of a run's first failure on nodes that do not depend on the failed one."""

    starts_others: bool
    """Whether other nodes may still start; teardowns and notifies always may."""
    cancels_running: bool


REACTIONS: Mapping[Mode, Reaction] = {
    "ignore": Reaction(starts_others=True, cancels_running=False),
    "finish": Reaction(starts_others=False, cancels_running=False),
    "fail_fast": Reaction(starts_others=False, cancels_running=True),
}


def run_outcome(plan: GraphPlan, endings: Mapping[str, Ending]) -> Outcome:
    """Return how a run ends once all its nodes have ended: leaves and returned nodes decide.

    Teardowns are no leaves unless they say so, and a notify never is. A failed node above a leaf
    that ran all the same is forgiven, unless its result is to be returned: a node that joins on
    `all_done` has handled the failure. A returned node that was skipped is null, and no failure.
    """
    return outcome_of(endings[name] for name in plan.judged)


def outcome_of(endings: Iterable[Ending]) -> Outcome:
    is_bad = any(ending in (Ending.FAILED, Ending.UPSTREAM_FAILED) for ending in endings)
    return "failed" if is_bad else "success"


def branch_skips(plan: GraphPlan, branch: str, result: object) -> list[str]:
    """Return the children that a finished branch did not choose and therefore skips.

    A child that also comes after a chosen one stays, as another path leads to it; teardowns and
    notifies stay, too. The result is the name of a child, a list of names, or null for none.
    """
    children = plan.children[branch]
    chosen = _chosen(branch, result, children)
    reached = set(chosen) | reachable(chosen, plan.children)
    return [
        name for name in children if name not in reached and plan.nodes[name].node.kind not in ASIDE
    ]


def _chosen(branch: str, result: object, children: list[str]) -> list[str]:
    names: list[str] = []
    for name in result if isinstance(result, list) else [] if result is None else [result]:
        if name not in children:
            raise BadResult(
                f"branch {branch!r} chose {name!r:.64}, which does not come after it."
                f"{hint(name, children)} It may choose: {', '.join(children[:20])}"
            )
        names.append(name)
    return names


def short_circuit_skips(plan: GraphPlan, node: str, result: object) -> list[str]:
    """Return all nodes after a false short circuit; teardowns and notifies are not skipped."""
    if result:
        return []
    after = reachable([node], plan.children)
    return [
        name
        for name, planned in plan.nodes.items()
        if name in after and planned.node.kind not in ASIDE
    ]
