"""The definitions that a graph needs on record before it can begin: its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rota.model.jobs.spec import GraphTarget

if TYPE_CHECKING:
    from rota.app.jobs.job import Job


def needed_by(job: Job[..., Any], jobs: Mapping[str, Job[..., Any]]) -> list[Job[..., Any]]:
    """Return the app's jobs that are nodes of this one, directly or not; without the job itself."""
    needed: dict[str, Job[..., Any]] = {}
    waiting = [job]
    while waiting:
        target = waiting.pop().spec.target
        if not isinstance(target, GraphTarget):
            continue
        for node in target.graph.nodes:
            name = node.job or node.graph or ""
            if name in jobs and name not in needed and name != job.name:
                needed[name] = jobs[name]
                waiting.append(jobs[name])
    return list(needed.values())
