"""The facts of a definition that a claim needs before a run of it may begin."""

from __future__ import annotations

from typing import NamedTuple

from rota.model.jobs.spec import GraphTarget, JobSpec


class ClaimFacts(NamedTuple):
    """Facts about how runs of one version of a job begin; the default is a run that just begins."""

    is_graph: bool = False
    """Whether its runs begin at the claim, without a slot."""
    is_dependent: bool = False
    """Whether its runs wait for runs of other jobs."""
    is_cached: bool = False
    """Whether its runs may end at the claim with a cached result."""
    max_runs: int | None = None
    """For a graph, the maximum number of runs under way at once."""


PLAIN = ClaimFacts()


def is_watched(spec: JobSpec) -> bool:
    """Whether the end of a run concerns more than the run, so that no end of it is plain."""
    return spec.breaker is not None


def claim_facts(spec: JobSpec) -> ClaimFacts:
    """Return the facts of a definition."""
    graph = spec.target.graph if isinstance(spec.target, GraphTarget) else None
    facts = ClaimFacts(
        is_graph=graph is not None,
        is_dependent=bool(spec.dependencies),
        is_cached=spec.cache is not None,
        max_runs=None if graph is None else graph.max_runs,
    )
    return PLAIN if facts == PLAIN else facts  # one object, so that a claim can compare by `is`
