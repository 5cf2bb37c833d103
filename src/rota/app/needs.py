"""What a graph needs on record before it can begin: the jobs and graphs that are its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rota.model.spec import GraphTarget

if TYPE_CHECKING:
    from rota.app.job import Job


def needed_by(job: Job[..., Any], known: Mapping[str, Job[..., Any]]) -> list[Job[..., Any]]:
    """The jobs of the app that this one has as nodes, and those have in turn; itself not."""
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
