"""The option `on_failure`: which job handles failed runs, and the arguments it gets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from rota.errors import BadInput, BadOption
from rota.model.failures.failure import Failure
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.rules.jobs.target_kinds import target_kind
from rota.rules.text.checks import at_place, hint

WHOLE = "failure"
"""The name of the parameter that takes the whole failure."""
FACTS = Failure.__struct_fields__
_EXAMPLE = Failure(
    run_id="0" * 32,
    job="job",
    version=1,
    namespace="default",
    attempt=1,
    reason="",
    error_type="",
    error_message="",
    failed_at=datetime(2026, 1, 1, tzinfo=UTC),
    logs="",
)


def read_on_failure(option: str, value: object) -> str:
    """Return the name of the failure handler, given as a name or as the job itself."""
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(name, str) or not name:
        raise BadOption(f"{option}={value!r:.64} is neither a job nor the name of one")
    return name


def check_told_is_other(job: str, handler: str | msgspec.UnsetType) -> None:
    """Raise BadOption if a job would handle its own failures."""
    if handler == job:
        raise BadOption(f"on_failure: job {job!r:.64} cannot handle its own failures; name another")


def told_by(spec: JobSpec) -> str | None:
    """Return the job that handles failed runs of this job, or None."""
    return spec.on_failure if isinstance(spec.on_failure, str) else None


def arguments_for(spec: JobSpec, failure: Failure) -> dict[str, Any]:
    """Build the handler's arguments: `failure`, or the facts that its parameters name."""
    facts = msgspec.structs.asdict(failure)
    is_template = target_kind(spec.target).is_template
    if is_template:  # a text holds no null
        facts = {name: "" if value is None else value for name, value in facts.items()}
    accepted = _parameters(spec)
    if accepted is None:
        return {WHOLE: failure}
    arguments = {name: value for name, value in facts.items() if name in accepted}
    if isinstance(spec.more, str):
        arguments = facts
    return {**arguments, WHOLE: failure} if WHOLE in accepted and not is_template else arguments


def _parameters(spec: JobSpec) -> Mapping[str, Any] | None:
    """Return the parameters of a job; None if a file names a function without its parameters."""
    if isinstance(spec.target, GraphTarget):
        return spec.target.graph.parameters
    is_function = isinstance(spec.target, PythonTarget)
    is_recorded = not isinstance(spec.defaults, msgspec.UnsetType)
    return None if is_function and not is_recorded and not spec.parameters else spec.parameters


def check_told(
    new_specs: Mapping[str, JobSpec],
    specs: Mapping[str, JobSpec],
    *,
    where: str = "on record",
    places: Mapping[str, str] | None = None,
) -> None:
    """Raise BadOption if a failure handler is not defined or needs other arguments."""
    for name, spec in new_specs.items():
        handler = told_by(spec)
        if handler is None:
            continue
        if handler not in specs:
            raise BadOption(
                f"{at_place(places, name)}job {name!r}: on_failure: no job is named "
                f"{handler!r:.64} {where}.{hint(handler, specs)}"
            )
        check_takes(name, specs[handler], place=at_place(places, name))


def check_takes(job: str, handler: JobSpec, *, place: str = "") -> None:
    """Raise BadOption unless the facts of a failure are valid arguments of the handler."""
    from rota.rules.jobs.stored_signature import recorded_signature  # noqa: PLC0415  # brings graphs along

    # A function without parameters on record: what it lacks, a worker finds out.
    is_bare = isinstance(handler.target, PythonTarget) and not handler.parameters
    if is_bare and not isinstance(handler.more, str):
        return
    try:
        recorded_signature(handler).bind((), arguments_for(handler, _EXAMPLE))
    except BadInput as error:
        raise BadOption(
            f"{place}job {job!r}: on_failure: {error}. A failure handler takes `{WHOLE}`, or any "
            f"of {', '.join(FACTS)}"
        ) from error


def check_function(job: str, handler: str, bind: Any, spec: JobSpec) -> None:
    """Raise BadOption unless the handler's function takes the failure, types included."""
    try:
        bind((), arguments_for(spec, _EXAMPLE))
    except BadInput as error:
        raise BadOption(
            f"job {job!r}: on_failure: {handler!r} takes `{WHOLE}: Failure`, or any of "
            f"{', '.join(FACTS)}: {error}"
        ) from error
