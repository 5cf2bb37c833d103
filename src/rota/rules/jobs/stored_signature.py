"""Jobs as the store knows them: their parameters, checked without their functions."""

from __future__ import annotations

from inspect import Parameter
from inspect import Signature as Shape
from typing import Any, Optional

import msgspec

from rota.model.schedule import OnEvent, Schedule
from rota.model.spec import GraphTarget, JobSpec, PythonTarget
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.signature.plain import plain_kind
from rota.rules.jobs.signature.schemas import kind_of
from rota.rules.jobs.signature.words import Words
from rota.rules.jobs.target_kinds import SCALAR, target_kind
from rota.rules.runs.event_arguments import check_event_args
from rota.rules.schedules.arguments import example_args, has_references


class _Maybe:
    """Stands for a default: what the store knows of it is for people, not for calls."""

    def __repr__(self) -> str:
        return "..."


_MAYBE = _Maybe()


def recorded_signature(spec: JobSpec, *, in_part: bool = False) -> Signature:
    """Checks names, that none is missing, and types; a worker checks what only it knows.

    With `in_part` any may be missing: somebody else brings it later.
    """
    needed = set() if in_part else _needed(spec)
    known = _parameters(spec)
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            annotation=hint,
            default=Parameter.empty if name in needed else _MAYBE,
        )
        for name, hint in known.items()
    ]
    if needed:  # Python wants those without a default first; people give them by name
        parameters.sort(key=lambda each: each.name not in needed)
    kinds = kinds_of(spec)
    more = "Any" if _is_unknown(spec) else spec.more
    if isinstance(more, str):
        name = "kwargs" if "kwargs" not in kinds else "more_kwargs"
        parameters.append(Parameter(name, Parameter.VAR_KEYWORD, annotation=more))
        kinds[name] = plain_kind(more)
    kind = Words if target_kind(spec.target).takes_words else Signature
    return kind(spec.name, Shape(parameters), lambda: kinds)


def _parameters(spec: JobSpec) -> dict[str, str]:
    if isinstance(spec.target, GraphTarget):
        return {name: each.type for name, each in spec.target.graph.parameters.items()}
    if target_kind(spec.target).is_template:
        return dict.fromkeys(spec.parameters, SCALAR)  # texts and numbers are put in as they are
    return spec.parameters


def kinds_of(spec: JobSpec) -> dict[str, Any]:
    """The types of its parameters, as far as they are on record; Any for the others."""
    schemas = {} if isinstance(spec.schemas, msgspec.UnsetType) else spec.schemas
    return {
        name: _kind(spec, name, kind_of(schemas[name]) if name in schemas else plain_kind(hint))
        for name, hint in _parameters(spec).items()
    }


def _kind(spec: JobSpec, name: str, kind: Any) -> Any:
    """A default of None allows None, whatever the annotation says."""
    if kind is Any or not _may_be_none(spec, name):
        return kind
    return Optional[kind]  # noqa: UP045  # found at run time


def _may_be_none(spec: JobSpec, name: str) -> bool:
    if isinstance(spec.target, GraphTarget):
        return spec.target.graph.parameters[name].default is None
    if target_kind(spec.target).is_template:
        return False
    if isinstance(spec.defaults, msgspec.UnsetType):
        return True  # defaults are not on record: one of them may be None
    return name in spec.defaults and spec.defaults[name] is None


def _is_unknown(spec: JobSpec) -> bool:
    """Whether a file names a function and nothing of its parameters: then any may be given."""
    is_recorded = not isinstance(spec.defaults, msgspec.UnsetType)
    return isinstance(spec.target, PythonTarget) and not is_recorded and not spec.parameters


def check_schedule(schedule: Schedule, spec: JobSpec, *, by_hand: bool = False) -> None:
    """BadArguments unless the job takes the arguments of the schedule, names and types.

    An event brings arguments of its own, so one that listens may lack some; not if it is started
    by hand, for then no event comes along.
    """
    is_event = isinstance(schedule.trigger, OnEvent) and not by_hand
    if is_event and not isinstance(spec.more, str) and not _is_unknown(spec):
        check_event_args(spec.name, schedule.args, _parameters(spec))
    recorded_signature(spec, in_part=is_event).bind((), example_args(schedule))


def fitting(
    schedule: Schedule, spec: JobSpec, signature: Signature, *, by_hand: bool = False
) -> Schedule:
    """A schedule of a job whose code is here, its arguments as the job takes them."""
    is_event = isinstance(schedule.trigger, OnEvent) and not by_hand
    if is_event or isinstance(spec.target, GraphTarget):
        check_schedule(schedule, spec, by_hand=by_hand)
        return schedule
    text = signature.bind((), example_args(schedule))
    if has_references(schedule.args):
        return schedule
    return msgspec.structs.replace(schedule, args=msgspec.json.decode(text))


def _needed(spec: JobSpec) -> set[str]:
    """What must be given, as far as it is on record."""
    if isinstance(spec.target, GraphTarget):
        parameters = spec.target.graph.parameters
        return {name for name, each in parameters.items() if each.default is msgspec.UNSET}
    if target_kind(spec.target).is_template:
        return set(spec.parameters)
    if isinstance(spec.defaults, msgspec.UnsetType):
        return set()
    return spec.parameters.keys() - spec.defaults.keys()
