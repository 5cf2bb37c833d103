"""Job definitions that need the role `exec` because they run code on workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.rules.failures.on_failure import told_by
from rota.rules.jobs.target_kinds import target_kind


def power_of(spec: JobSpec) -> str | None:
    """Return, for people, what the job does that needs the role `exec`; None without any.

    A graph itself does nothing: its nodes name jobs, and those have their own definitions.
    """
    return target_kind(spec.target).power(spec.target)


def power_of_template(definition: Mapping[str, Any]) -> str | None:
    """Return what a template's jobs do that needs the role `exec`, whatever its values."""
    return "runs a program" if "command" in definition else None


def queues_of(spec: JobSpec) -> Iterator[str]:
    """Yield the queues in which the job runs, or in which it starts other runs."""
    yield spec.queue
    if isinstance(spec.target, GraphTarget):
        yield from (node.queue for node in spec.target.graph.nodes if node.queue is not None)


def started_by(spec: JobSpec) -> Iterator[str]:
    """Yield the jobs and graphs that its runs start: nodes, and the handler of failures."""
    if (handler := told_by(spec)) is not None:
        yield handler
    if isinstance(spec.target, GraphTarget):
        for node in spec.target.graph.nodes:
            yield from (name for name in (node.job, node.graph) if name is not None)
