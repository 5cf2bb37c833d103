"""Rights: which definitions of jobs take the role `exec`, since they run code on the workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rota.model.spec import GraphTarget, JobSpec
from rota.rules.failures.on_failure import told_by
from rota.rules.jobs.target_kinds import target_kind


def power_of(spec: JobSpec) -> str | None:
    """What it does that takes the role `exec`, for people; None when it does nothing of the kind.

    A graph itself does nothing: its nodes name jobs, and those have their own definitions.
    """
    return target_kind(spec.target).power(spec.target)


def power_of_template(definition: Mapping[str, Any]) -> str | None:
    """The same for a definition with blanks, whatever is filled in."""
    return "runs a program" if "command" in definition else None


def queues_of(spec: JobSpec) -> Iterator[str]:
    """In which it runs, or has others run."""
    yield spec.queue
    if isinstance(spec.target, GraphTarget):
        yield from (node.queue for node in spec.target.graph.nodes if node.queue is not None)


def started_by(spec: JobSpec) -> Iterator[str]:
    """The jobs and graphs that runs of it start: its nodes, and the one told of failures."""
    if (told := told_by(spec)) is not None:
        yield told
    if isinstance(spec.target, GraphTarget):
        for node in spec.target.graph.nodes:
            yield from (name for name in (node.job, node.graph) if name is not None)
