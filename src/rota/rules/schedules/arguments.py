"""Schedule arguments that are known only at a firing, such as the day it runs for.

They are written as in graphs: `{"$run": "scheduled_day"}`, or an expression over `run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.errors import BadInput, BadOption
from rota.model.runs.run import Origin
from rota.model.schedules.definitions import Every, OnEvent, Schedule
from rota.rules.graphs.references import Known, Reference, mentions, resolve
from rota.rules.runs.times import check_field, run_values

_DAY_MS = 86_400_000
_EXAMPLE_AT = 20_520 * _DAY_MS


def written(value: Any) -> Any:
    """Return the value with all Python references in it written as data."""
    if isinstance(value, Mapping):
        return {key: written(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [written(each) for each in value]
    return value.value() if isinstance(value, Reference) else value


def check_args(schedule: Schedule) -> None:
    """Raise BadOption for a reference that a schedule cannot know, or that gives no value."""
    for mention in mentions(schedule.args, "args"):
        if mention.form not in ("$run", "$expr"):
            raise BadOption(
                f"{mention.place}: {mention.form} is for nodes of graphs; a schedule knows "
                '{"$run": "scheduled_day"} and {"$expr": "..."} over run'
            )
        if mention.form == "$run":
            try:
                check_field(mention.text)
            except BadInput as error:
                raise BadOption(f"{mention.place}: {error}") from error
    example_args(schedule)


def example_args(schedule: Schedule) -> Mapping[str, Any]:
    """Return the arguments that a firing would give, for checks of names and types."""
    if not has_references(schedule.args):
        return schedule.args
    start_at = _EXAMPLE_AT - _DAY_MS if _has_intervals(schedule) else None
    origin = Origin(
        schedule="example",
        kind="time",
        scheduled_for=_EXAMPLE_AT,
        interval_start=start_at,
        interval_end=None if start_at is None else _EXAMPLE_AT,
        zone=schedule.zone,
    )
    return resolve_args(schedule.args, msgspec.json.encode(origin).decode())


def _has_intervals(schedule: Schedule) -> bool:
    """Whether firings have an interval: not those by events or counted from the last end."""
    trigger = schedule.trigger
    return not isinstance(trigger, OnEvent) and not (
        isinstance(trigger, Every) and trigger.from_end
    )


def resolve_args(args: Mapping[str, Any], origin: str) -> Mapping[str, Any]:
    """Return the arguments of a run with this origin; BadInput if one cannot be computed."""
    if not has_references(args):
        return args
    run = run_values(origin)
    values = Known({}, {}, evaluate=lambda text: _evaluate(text, run), run=run)
    resolved: dict[str, Any] = {}
    for name, value in args.items():
        try:
            resolved[name] = resolve(value, values)
        except BadInput as error:
            raise BadOption(f"args.{name}: {error}") from error
    return resolved


def has_references(value: Any) -> bool:
    """Whether some part of the value is known only at the firing."""
    if isinstance(value, Mapping):
        return any(
            (isinstance(key, str) and key.startswith("$")) or has_references(each)
            for key, each in value.items()
        )
    return isinstance(value, list | tuple) and any(map(has_references, value))


def _evaluate(text: str, run: Mapping[str, Any]) -> Any:
    from rota.rules.graphs.expressions.cel import Expression, Names, Values  # noqa: PLC0415  # 50 MB

    values = Values({}, {}, {}, run=run)
    return Expression.parse(text, Names(), where="expression").evaluate(values)
