"""What a credential may have run: the one place that says so, whatever the way to make it run.

What is in force, the current version of a job or those that its runs are shared out between, was
put in force by somebody who had the right to; an operator may start it. To put something in force
takes the right to what it runs. So does starting what is in force no more: a run of an old version,
or of a job that was removed, would bring back what somebody with the role `exec` took away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from rota.engine.courses import find_spec
from rota.engine.jobs import CODE, current_specs, last_version, origin_of
from rota.engine.weights import choices
from rota.errors import NotPermitted
from rota.model.spec import JobSpec, PythonTarget
from rota.rules.rights import power_of, power_of_template, queues_of, started_by

if TYPE_CHECKING:
    from rota.api.ask import Ask
    from rota.store.base import Tx


def check_rights(tx: Tx, request: Ask, *specs: JobSpec) -> None:
    """NotPermitted unless the credential may make these what their jobs run."""
    for spec in specs:
        if not request.credential.reaches(spec.queue):
            raise NotPermitted(f"the credential does not reach the queue {spec.queue}")
        _check_work(tx, request, spec, beside={each.name for each in specs})


def check_again(tx: Tx, request: Ask, pinned: Collection[tuple[str, int]]) -> None:
    """NotPermitted unless it may start these versions of jobs, some of which may be of the past."""
    known = choices(tx, {job for job, _ in pinned}, namespace=request.namespace)
    for job, version in sorted(pinned):
        spec = find_spec(tx, job, version, namespace=request.namespace)
        present = known[job].specs if job in known else {}
        if spec is None or version in present:
            continue
        if any(each.target == spec.target for each in present.values()):
            continue
        _check_work(tx, request, spec, beside=set())


def check_job_again(tx: Tx, request: Ask, job: str) -> None:
    """The same for what a start of the job would run, also after it was removed."""
    version = last_version(tx, job, namespace=request.namespace)
    if version is not None:
        check_again(tx, request, {(job, version)})


def check_template_rights(request: Ask, *definitions: Mapping[str, Any]) -> None:
    """NotPermitted unless it may write, change or remove templates with these definitions."""
    for definition in definitions:
        power = power_of_template(definition)
        if power is not None and not request.credential.has("exec"):
            raise NotPermitted(f"the template {power}, which needs the role exec as well")


def _check_work(tx: Tx, request: Ask, spec: JobSpec, *, beside: set[str]) -> None:
    """What it does itself, and what it has others start; `beside` are checked themselves."""
    power = None if request.credential.has("exec") else power_of(spec)
    if power is not None and not _is_of_workers(tx, request, spec):
        raise NotPermitted(f"job {spec.name} {power}, which needs the role exec as well")
    for queue in queues_of(spec):
        if queue != spec.queue and not request.credential.reaches(queue):
            raise NotPermitted(
                f"job {spec.name} sends nodes to the queue {queue}, which the credential does not "
                "reach"
            )
    names = set(started_by(spec)) - beside
    present = current_specs(tx, names, namespace=request.namespace)
    for name in sorted(names):
        if name not in present:
            _check_gone(tx, request, name, beside=beside | names)
        elif not request.credential.reaches(present[name][1].queue):
            raise NotPermitted(
                f"job {spec.name} starts job {name}, of a queue that the credential does not reach"
            )


def _check_gone(tx: Tx, request: Ask, name: str, *, beside: set[str]) -> None:
    """A node may name a job that was removed: it runs what that one was last."""
    version = last_version(tx, name, namespace=request.namespace)
    spec = version and find_spec(tx, name, version, namespace=request.namespace)
    if spec:
        _check_work(tx, request, spec, beside=beside)


def _is_of_workers(tx: Tx, request: Ask, spec: JobSpec) -> bool:
    """A function of a job that code owns: workers call the one that their own code has."""
    return (
        isinstance(spec.target, PythonTarget)
        and origin_of(tx, spec.name, namespace=request.namespace) == CODE
    )
