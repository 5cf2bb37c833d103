"""The definitions that a graph needs on record before it can begin: its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rota.model.jobs.spec import GraphTarget

if TYPE_CHECKING:
    from rota.app.jobs.job import Job


def needed_by(job: Job[..., Any], known: Mapping[str, Job[..., Any]]) -> list[Job[..., Any]]:
    """Return the app's jobs that are nodes of this one, directly or not; without the job itself."""
    found: dict[str, Job[..., Any]] = {}
    waiting = [job]
    while waiting:
        target = waiting.pop().spec.target
        if not isinstance(target, GraphTarget):
            continue
        for node in target.graph.nodes:
            name = node.job or node.graph or ""
            if name in known and name not in found and name != job.name:
                found[name] = known[name]
                waiting.append(known[name])
    return list(found.values())
