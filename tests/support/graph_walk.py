"""A run of a graph without a store: which nodes run next after these endings.

The engine does this set-based in SQL; this version is for tests, rehearsals and readers. Endings
are applied in waves: all children of ended nodes are judged together, and those that end by that
are the next wave. So in one wave a failure wins over a skip, whatever the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rota.rules.graphs.joins import Counts, Ending, JoinDecision, counted, ending_of, judge
from rota.rules.graphs.plan import GraphPlan, Planned


class Step(NamedTuple):
    """The result of some endings."""

    run: list[str]
    """Nodes that may run now."""
    ended: dict[str, Ending]
    """Nodes that ended without running, by their parents' endings."""


class Walk:
    """The state of each node of a run."""

    def __init__(self, plan: GraphPlan) -> None:
        self.plan = plan
        self.endings: dict[str, Ending] = {}
        self.counts = {name: counts_at_first(planned) for name, planned in plan.nodes.items()}
        self._waiting = set(plan.nodes)

    @property
    def is_over(self) -> bool:
        return len(self.endings) == len(self.plan.nodes)

    def begin(self) -> Step:
        """Begin with the nodes that wait for no other."""
        return self._judged(self.plan.nodes, {})

    def end(self, endings: Mapping[str, Ending], *, skips: Iterable[str] = ()) -> Step:
        """End some nodes; `skips` are those that a branch or a short circuit leaves out."""
        left_out = {name: Ending.SKIPPED for name in skips if name in self._waiting}
        self._waiting -= left_out.keys()
        step = self._judged((), {**endings, **left_out})
        return step._replace(ended={**left_out, **step.ended})

    def _judged(self, affected: Iterable[str], wave: Mapping[str, Ending]) -> Step:
        step = Step([], {})
        waves = 0
        while affected or wave:
            self.endings.update(wave)
            affected = dict.fromkeys((*affected, *self._count(wave)))
            wave = self._wave(affected, step)
            step.ended.update(wave)
            affected = ()
            waves += 1
            if waves > len(self.plan.nodes) + 1:
                raise AssertionError("more waves than nodes")
        return step

    def _count(self, wave: Mapping[str, Ending]) -> list[str]:
        affected: list[str] = []
        for name, ending in wave.items():
            for child in self.plan.children[name]:
                is_setup = name in self.plan.nodes[child].setups
                self.counts[child] = counted(self.counts[child], ending, is_setup=is_setup)
                affected.append(child)
            for other in self.plan.dependents.get(name, ()):
                self.counts[other] = counted(
                    self.counts[other], ending, is_parent=False, is_setup=True
                )
                affected.append(other)
        return affected

    def _wave(self, affected: Iterable[str], step: Step) -> dict[str, Ending]:
        ended: dict[str, Ending] = {}
        for name in affected:
            if name not in self._waiting:
                continue
            planned = self.plan.nodes[name]
            is_teardown = planned.node.kind == "teardown"
            verdict = judge(planned.join, self.counts[name], is_teardown=is_teardown)
            if verdict is JoinDecision.WAIT:
                continue
            self._waiting.discard(name)
            if verdict is JoinDecision.RUN:
                step.run.append(name)
            else:
                ended[name] = ending_of(verdict)
        return ended


def counts_at_first(planned: Planned) -> Counts:
    """Return the counts of a node before anything ended."""
    return Counts(total=len(planned.parents), setups=len(planned.setups))
