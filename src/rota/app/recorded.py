"""Jobs as the store knows them: the parameters of their functions, without the functions."""

from __future__ import annotations

from inspect import Parameter
from inspect import Signature as Shape
from typing import Any, Optional

import msgspec

from rota.ids import new_id
from rota.model.run import NewRun
from rota.model.schedule import OnEvent, Schedule
from rota.model.spec import GraphTarget, JobSpec
from rota.rules.events import check_event_args
from rota.rules.options import UNCHANGED, SubmitOptions
from rota.rules.signature import Signature


class _Maybe:
    """Stands for a default: what the store knows of it is for people, not for calls."""

    def __repr__(self) -> str:
        return "..."


_MAYBE = _Maybe()


def recorded_signature(spec: JobSpec) -> Signature:
    """Checks names, that none is missing, and plain types; a worker checks what only it knows."""
    from rota.rules.signature.plain import plain_kind  # noqa: PLC0415  # brings graphs along

    needed = _needed(spec)
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            annotation=hint,
            default=Parameter.empty if name in needed else _MAYBE,
        )
        for name, hint in spec.parameters.items()
    ]
    if needed:  # Python wants those without a default first; people give them by name
        parameters.sort(key=lambda each: each.name not in needed)
    kinds = {name: _or_none(spec, name, plain_kind(hint)) for name, hint in spec.parameters.items()}
    if isinstance(spec.more, str):
        name = "kwargs" if "kwargs" not in kinds else "more_kwargs"
        parameters.append(Parameter(name, Parameter.VAR_KEYWORD, annotation=spec.more))
        kinds[name] = plain_kind(spec.more)
    return Signature(spec.name, Shape(parameters), lambda: kinds)


def _or_none(spec: JobSpec, name: str, kind: Any) -> Any:
    """A default of None allows None, whatever the annotation says.

    Of what code did not record with its defaults, as in files and by older versions, a worker
    checks the types.
    """
    if isinstance(spec.defaults, msgspec.UnsetType) or kind is Any:
        return Any
    may_be_none = name in spec.defaults and spec.defaults[name] is None
    return Optional[kind] if may_be_none else kind  # noqa: UP045  # found at run time


def check_schedule(schedule: Schedule, spec: JobSpec) -> None:
    """Whether its arguments have names that the job takes, as far as the store knows them."""
    if isinstance(schedule.trigger, OnEvent):
        if not isinstance(spec.more, str):
            check_event_args(spec.name, schedule.args, spec.parameters)
    else:
        recorded_signature(spec).bind((), schedule.args)


def _needed(spec: JobSpec) -> set[str]:
    """What must be given, where that is on record: of graphs, and of functions."""
    if isinstance(spec.target, GraphTarget):
        parameters = spec.target.graph.parameters
        return {name for name, each in parameters.items() if each.default is msgspec.UNSET}
    if isinstance(spec.defaults, msgspec.UnsetType):
        return set()
    return spec.parameters.keys() - spec.defaults.keys()


def new_run(spec: JobSpec, version: int, args: str, options: SubmitOptions) -> NewRun:
    """A request for a run of this version, with a fresh id and what this submit changes."""
    fresh = NewRun(
        id=new_id(),
        job=spec.name,
        version=version,
        queue=spec.queue,
        priority=spec.priority,
        args=args,
        expires_ms=spec.expires_ms,
        at_most_once=spec.delivery == "at_most_once",
    )
    return fresh if options is UNCHANGED else changed(fresh, options)


def changed(run: NewRun, options: SubmitOptions) -> NewRun:
    """The run as one submit wants it."""
    changes: dict[str, Any] = {
        "queue": options.queue,
        "priority": options.priority,
        "expires_ms": options.expires_ms,
        "key": options.key,
        "key_window_ms": options.key_window_ms,
        "delay_ms": options.delay_ms,
        "due_at": options.due_at_ms,
    }
    if options.policy is not None:
        changes["policy"] = msgspec.json.encode(options.policy).decode()
    given = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(run, **given) if given else run
