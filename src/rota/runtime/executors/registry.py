"""The executors that a worker knows, by name; a new one is a module with `make` and a line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.rules.jobs.target_kinds import KINDS
from rota.runtime.attempts.attempt import Executor
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.process.lookup import is_findable
from rota.runtime.executors.threads.executor import make as make_threads

Make = Callable[[ExecutorParts], Executor]


def _later(module: str) -> Make:
    """Import an executor when it is needed: a worker without such jobs pays nothing for it."""

    def make(parts: ExecutorParts) -> Executor:
        executor: Executor = import_module(f"rota.runtime.executors.{module}").make(parts)
        return executor

    return make


EXECUTORS: dict[str, Make] = {
    "thread": make_threads,
    "loop": _later("loop.executor"),
    "process": _later("process.executor"),
    "command": _later("command.executor"),
    "http": _later("http.executor"),
}


def executor_name(spec: JobSpec, *, crashes: int) -> str:
    """Return the executor for a run of this job that took `crashes` processes down with it."""
    target = spec.target
    if not isinstance(target, PythonTarget):
        name = KINDS[type(target)].executor
        assert name is not None, "graphs begin at the claim"  # noqa: S101  # never carried out
        return name
    if spec.isolation != "thread":
        return spec.isolation
    # A run that took a process down with it is tried again alone in a process of its own.
    if crashes and is_findable(target.ref):
        return "process"
    return "loop" if target.is_async else "thread"
