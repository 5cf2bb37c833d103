"""Signatures of stored jobs: their parameters are checked without their functions."""

from __future__ import annotations

from inspect import Parameter
from inspect import Signature as Shape
from typing import Any, Optional

import msgspec

from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.schedules.definitions import OnEvent, Schedule
from rota.rules.jobs.signature import Signature
from rota.rules.jobs.signature.plain import plain_kind
from rota.rules.jobs.signature.schemas import kind_of
from rota.rules.jobs.signature.words import Words
from rota.rules.jobs.target_kinds import SCALAR, target_kind
from rota.rules.runs.event_arguments import check_event_args
from rota.rules.schedules.arguments import example_args, has_references


class _Maybe:
    """The placeholder of a default: the store keeps defaults for people, not for calls."""

    def __repr__(self) -> str:
        return "..."


_MAYBE = _Maybe()


def recorded_signature(spec: JobSpec, *, in_part: bool = False) -> Signature:
    """Return a signature that checks names, missing ones and types; a worker checks the rest.

    With `in_part` any argument may be missing, because it is supplied later.
    """
    needed = set() if in_part else _needed(spec)
    declared = _parameters(spec)
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            annotation=hint,
            default=Parameter.empty if name in needed else _MAYBE,
        )
        for name, hint in declared.items()
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
    """Return the types of the parameters on record; Any for the others."""
    schemas = {} if isinstance(spec.schemas, msgspec.UnsetType) else spec.schemas
    return {
        name: _kind(spec, name, kind_of(schemas[name]) if name in schemas else plain_kind(hint))
        for name, hint in _parameters(spec).items()
    }


def _kind(spec: JobSpec, name: str, kind: Any) -> Any:
    """Return the type of a parameter; a default of None allows None, whatever the annotation."""
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
    """Whether a file names a function without its parameters: then any arguments are allowed."""
    is_recorded = not isinstance(spec.defaults, msgspec.UnsetType)
    return isinstance(spec.target, PythonTarget) and not is_recorded and not spec.parameters


def check_schedule(schedule: Schedule, spec: JobSpec, *, by_hand: bool = False) -> None:
    """Raise BadArguments unless the job takes the schedule's arguments, names and types.

    An event brings its own arguments, so a schedule that listens may lack some. A start by hand has
    no event, so then none may be missing.
    """
    is_event = isinstance(schedule.trigger, OnEvent) and not by_hand
    if is_event and not isinstance(spec.more, str) and not _is_unknown(spec):
        check_event_args(spec.name, schedule.args, _parameters(spec))
    recorded_signature(spec, in_part=is_event).bind((), example_args(schedule))


def fitting(
    schedule: Schedule, spec: JobSpec, signature: Signature, *, by_hand: bool = False
) -> Schedule:
    """Return a schedule with its arguments in the form that the job's code takes."""
    is_event = isinstance(schedule.trigger, OnEvent) and not by_hand
    if is_event or isinstance(spec.target, GraphTarget):
        check_schedule(schedule, spec, by_hand=by_hand)
        return schedule
    text = signature.bind((), example_args(schedule))
    if has_references(schedule.args):
        return schedule
    return msgspec.structs.replace(schedule, args=msgspec.json.decode(text))


def _needed(spec: JobSpec) -> set[str]:
    """Return the required arguments, as far as they are on record."""
    if isinstance(spec.target, GraphTarget):
        parameters = spec.target.graph.parameters
        return {name for name, each in parameters.items() if each.default is msgspec.UNSET}
    if target_kind(spec.target).is_template:
        return set(spec.parameters)
    if isinstance(spec.defaults, msgspec.UnsetType):
        return set()
    return spec.parameters.keys() - spec.defaults.keys()
