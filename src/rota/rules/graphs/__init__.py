"""Graphs: checks for errors, and the order in which nodes can run."""

from rota.rules.graphs.expand import Expanded, expand
from rota.rules.graphs.order import critical_path, remaining, taken_path
from rota.rules.graphs.plan import GraphPlan, Planned, plan_graph
from rota.rules.graphs.types import JobFacts

__all__ = [
    "Expanded",
    "GraphPlan",
    "JobFacts",
    "Planned",
    "critical_path",
    "expand",
    "plan_graph",
    "remaining",
    "taken_path",
]
