"""Schedule options from Python, YAML and the API, checked once and made into one Schedule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from rota.errors import BadOption
from rota.model.schedules.definitions import Calendar, OnEvent, Schedule, Trigger, Unless
from rota.rules.schedules.arguments import check_args
from rota.rules.schedules.calendars import is_code
from rota.rules.schedules.option_table import BY_NAME, SYNONYMS
from rota.rules.schedules.trigger_options import read_trigger, split_mapping
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.schedules.triggers.compile import each_trigger
from rota.rules.text.checks import hint

MAX_SCHEDULES = 100
_PARALLEL = re.compile(r"(?:bounded[ _-])?parallel[ =_-]?([0-9]{1,5})")
_BEFORE_ALL = -1
_NO_CALENDARS: Mapping[str, Calendar] = {}


def read_schedules(
    value: object,
    options: Mapping[str, Any] | None = None,
    *,
    calendars: Mapping[str, Calendar] | None = _NO_CALENDARS,
) -> tuple[Schedule, ...]:
    """Read `schedule=`, one or a list; the options apply to all of them."""
    if value is None:
        return ()
    each = value if isinstance(value, list | tuple) else [value]
    if len(each) > MAX_SCHEDULES:
        raise BadOption(f"schedule has {len(each):,} entries, more than {MAX_SCHEDULES}")
    return tuple(read_schedule(one, options, calendars=calendars) for one in each)


def read_schedule(
    value: object,
    options: Mapping[str, Any] | None = None,
    *,
    calendars: Mapping[str, Calendar] | None = _NO_CALENDARS,
) -> Schedule:
    """Read a cron line, a trigger, a Schedule or a mapping as one checked Schedule.

    The mapping's own policies win over the options. BadInput names the field that is wrong. A
    schedule that would never fire is refused, but one in the past is not, as this code knows no
    time. Where stored calendars are unknown (None), the code that stores the schedule checks their
    names.
    """
    trigger, own = _split(value)
    policies = _policies({**_rename(options or {}), **_rename(own)})
    schedule = Schedule(trigger=trigger, **policies)
    _check(schedule, calendars)
    check_args(schedule)
    return schedule


def kept(old: Schedule, set_fields: Iterable[str]) -> dict[str, Any]:
    """Return the schedule's own options, without those that are set anew.

    A new policy for overlaps discards the old bound.
    """
    names = {SYNONYMS.get(name, name) for name in set_fields}
    if "overlap" in names:
        names.add("parallel")
    return {name: value for name, value in _own_policies(old).items() if name not in names}


def named(job: str, values: Iterable[Schedule]) -> list[tuple[str, Schedule]]:
    """Return the job's schedules by name: their own, else `report`, `report.2`, `report.3`."""
    return [
        (schedule.name or (job if number == 1 else f"{job}.{number}"), replace(schedule, name=None))
        for number, schedule in enumerate(values, 1)
    ]


def _split(value: object) -> tuple[Trigger, Mapping[str, Any]]:
    if isinstance(value, Schedule):
        return read_trigger(value.trigger), _own_policies(value)
    if isinstance(value, Mapping):
        own, policies = split_mapping("schedule", value)
        return read_trigger(own), policies
    return read_trigger(value), {}


def _own_policies(schedule: Schedule) -> Mapping[str, Any]:
    plain = Schedule(trigger=schedule.trigger)
    fields = (name for name in Schedule.__struct_fields__ if name != "trigger")
    return {
        name: getattr(schedule, name)
        for name in fields
        if getattr(schedule, name) != getattr(plain, name)
    }


def _rename(options: Mapping[str, Any]) -> dict[str, Any]:
    """Rename options to the model's fields; None means unset."""
    renamed: dict[str, Any] = {}
    for name, value in options.items():
        field = SYNONYMS.get(name, name)
        if field not in BY_NAME:
            names = [*BY_NAME, *SYNONYMS]
            raise BadOption(
                f"a schedule has no option {name!r:.40}.{hint(name, names)} "
                f"Options are: {', '.join(sorted(BY_NAME))}"
            )
        if field in renamed:
            raise BadOption(f"{name}= and {field}= are the same; give one of them")
        if value is not None:
            renamed[field] = value
    return renamed


def _policies(options: Mapping[str, Any]) -> dict[str, Any]:
    options = _with_parallel(options)
    return {name: BY_NAME[name].read(name, value) for name, value in options.items()}


def _with_parallel(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Expand `overlap="parallel=3"` and a lone `parallel=3`: three at once, others wait."""
    overlap = options.get("overlap")
    bounded = _PARALLEL.fullmatch(overlap.strip().lower()) if isinstance(overlap, str) else None
    if bounded is not None:
        return {**options, "overlap": "queue_all", "parallel": int(bounded[1])}
    if overlap is None and "parallel" in options:
        return {**options, "overlap": "queue_all"}
    if overlap == "allow" and options.get("parallel", 1) != 1:
        raise BadOption(
            'parallel= bounds how many run at once, and overlap="allow" has no bound; leave '
            "overlap= out, or choose what becomes of the others"
        )
    return options


def _check(schedule: Schedule, calendars: Mapping[str, Calendar] | None) -> None:
    if calendars is None:
        calendars = _NO_CALENDARS
        if isinstance(schedule.calendar, str) and not is_code(schedule.calendar):
            schedule = replace(schedule, calendar=None, roll="skip")
    timetable = compile_schedule(schedule, seed="", calendars=calendars)
    if isinstance(schedule.trigger, OnEvent):
        return
    if timetable.after(_BEFORE_ALL) is None:
        raise BadOption(f"schedule: it would never fire: {_reason(schedule)}")


def _reason(schedule: Schedule) -> str:
    if schedule.start is not None or schedule.end is not None:
        return "no firing lies between start and end"
    if schedule.calendar is not None:
        return "all its firings fall on days off, or there are no business days at all"
    if any(isinstance(each, Unless) for each in each_trigger(schedule.trigger)):
        return "unless leaves out every firing"
    return "the trigger has no instant since 1970"
