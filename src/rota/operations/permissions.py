"""Permissions to run work: the only place that decides them, for every way to start a run.

Some definitions are in force: the current version of a job, or the versions that its runs are
shared out between. Somebody with the permission put them in force, so an operator may start them.
To put something in force takes the permission for what it runs. So does starting what is in force
no more: a run of an old version, or of a removed job, would bring back what somebody with the role
`exec` took away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from rota.engine.jobs.definitions import CODE, last_version, origin_of
from rota.engine.jobs.deployed_versions import (
    DeployedPart,
    DeployedStart,
    Version,
    carried,
    carried_by,
)
from rota.engine.jobs.weights import VersionChoice, choices
from rota.errors import NotPermitted
from rota.model.identity.credentials import Credential
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import NewRun
from rota.rules.security.rights import power_of, power_of_template, queues_of, started_by
from rota.store.base import Tx


class Asking(Protocol):
    """A caller of operations, or a request to the server."""

    @property
    def credential(self) -> Credential:
        """The credential whose permissions count."""
        ...


def check_rights(tx: Tx, asking: Asking, *specs: JobSpec) -> None:
    """NotPermitted unless the credential may make these what their jobs run."""
    own = asking.credential
    if own.has("exec") and own.queues is None:
        return
    for spec in specs:
        if not own.reaches(spec.queue):
            raise NotPermitted(f"the credential does not reach the queue {spec.queue}")
        _check_work(tx, own, spec, beside={each.name for each in specs})


def check_starts(tx: Tx, credential: Credential, starts: Collection[DeployedStart]) -> None:
    """NotPermitted unless it may have carried out all that these starts would.

    Some of that may be of the past: the version that is started, or one that its nodes go by.
    """
    if credential.has("exec") and credential.queues is None:
        return
    parts = carried(tx, starts, namespace=credential.namespace)
    _check_parts(tx, credential, parts, {start.job for start in starts})


def check_job(tx: Tx, credential: Credential, job: str) -> None:
    """NotPermitted unless it may start the job, which may have been removed."""
    version = last_version(tx, job, namespace=credential.namespace)
    if version is not None:
        check_starts(tx, credential, [DeployedStart(job, version)])


def check_runs(
    tx: Tx, credential: Credential, runs: Sequence[NewRun], known: Mapping[str, VersionChoice]
) -> None:
    """NotPermitted for a new run of what is in force, if that starts what was taken away."""
    starts = {
        DeployedStart(run.job, run.version)
        for run in runs
        if any(True for _ in started_by(known[run.job].specs[run.version]))
    }
    if starts:
        check_starts(tx, credential, starts)


def check_template_rights(asking: Asking, *definitions: Mapping[str, Any]) -> None:
    """NotPermitted unless it may write, change or remove templates with these definitions."""
    for definition in definitions:
        power = power_of_template(definition)
        if power is not None and not asking.credential.has("exec"):
            raise NotPermitted(f"the template {power}, which needs the role exec as well")


def _check_work(tx: Tx, credential: Credential, spec: JobSpec, *, beside: set[str]) -> None:
    """Check the job's own work, and the work that it starts; `beside` is checked on its own."""
    _check_power(tx, credential, spec)
    for queue in queues_of(spec):
        if queue != spec.queue and not credential.reaches(queue):
            raise NotPermitted(
                f"job {spec.name} sends nodes to the queue {queue}, which the credential does not "
                "reach"
            )
    parts = carried_by(tx, spec, namespace=credential.namespace, beside=beside)
    _check_parts(tx, credential, parts, ())


def _check_power(tx: Tx, credential: Credential, spec: JobSpec) -> None:
    power = None if credential.has("exec") else power_of(spec)
    if power is not None and not _is_of_workers(tx, credential, spec):
        raise NotPermitted(f"job {spec.name} {power}, which needs the role exec as well")


def _check_parts(
    tx: Tx, credential: Credential, parts: Sequence[DeployedPart], started: Collection[str]
) -> None:
    """Check the parts; one in force below another in force needs no permission, the rest do."""
    force = _Force(tx, credential.namespace, parts, started)
    free = {part.at for part in parts if force.has(part)}
    for part in parts:
        if not force.has_work_of(part):
            _check_power(tx, credential, part.spec)
        if part.above is None or (part.above in free and force.has(part)):
            continue
        queue = part.queue or part.spec.queue
        if not credential.reaches(queue):
            raise NotPermitted(
                f"job {part.above[0]} starts job {part.spec.name}, in a queue that the credential "
                "does not reach"
            )


class _Force:
    """Return the current definitions of jobs; a removed job has none."""

    def __init__(
        self, tx: Tx, namespace: str, parts: Sequence[DeployedPart], started: Collection[str]
    ) -> None:
        self._tx = tx
        self._namespace = namespace
        self._started = started
        jobs = {part.spec.name for part in parts} | set(started)
        self._choices = choices(tx, jobs, namespace=namespace)

    def has(self, part: DeployedPart) -> bool:
        """Whether a start of this moment runs it, or another version that does so there."""
        present = self._present(part)
        is_placed = part.above is None or part.queue is not None
        return (
            part.version in present
            or any(
                each.target == part.spec.target and (is_placed or each.queue == part.spec.queue)
                for each in present.values()
            )
            or (bool(present) and part.at in self._below)
        )

    def has_work_of(self, part: DeployedPart) -> bool:
        """Whether any of our jobs does the same work."""
        present = self._present(part)
        return any(each.target == part.spec.target for each in present.values()) or self.has(part)

    def _present(self, part: DeployedPart) -> Mapping[int, JobSpec]:
        found = self._choices.get(part.spec.name)
        return {} if found is None else found.specs

    @cached_property
    def _below(self) -> set[Version]:
        """The versions that a start may use now: older ones too, if a graph has weights."""
        starts = [
            DeployedStart(job, version)
            for job in self._started
            if job in self._choices
            for version in self._choices[job].specs
        ]
        return {part.at for part in carried(self._tx, starts, namespace=self._namespace)}


def _is_of_workers(tx: Tx, credential: Credential, spec: JobSpec) -> bool:
    """Whether it is a function of a job that code owns: workers call the one in their own code."""
    return (
        isinstance(spec.target, PythonTarget)
        and origin_of(tx, spec.name, namespace=credential.namespace) == CODE
    )
