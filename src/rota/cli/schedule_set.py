"""The schedule that `rota schedules set` asks for, and its changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rota.cli.pages.changes import print_changes, shown
from rota.cli.pages.preview import asked_schedule
from rota.errors import BadOption, UnknownSchedule
from rota.rules.schedules.options import kept

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place
    from rota.model.schedules.definitions import Calendar, Schedule
    from rota.model.schedules.schedule import ScheduleView


def present(here: Place, name: str) -> ScheduleView | None:
    """Return the schedule of that name, or None."""
    try:
        return here.schedules.show(name)
    except UnknownSchedule:
        return None


def asked(
    expression: str,
    values: Mapping[str, Any],
    args: Mapping[str, Any],
    *,
    base: Schedule | None,
    calendars: Mapping[str, Calendar],
) -> Schedule:
    """Return the schedule of the command line, completed by `base`; null means the default."""
    options = {key: value for key, value in values.items() if value is not None}
    old = {} if base is None else kept(base, values)
    # Fields of an object win over options, also over the options that `base` keeps.
    merged = {**old, **options, "args": _arguments(old, options, args) or None}
    schedule = asked_schedule(expression, merged, calendars)
    for name in (*options.get("args", ()), *args):
        if name not in schedule.args:
            raise BadOption(
                f"EXPR has args of its own, without {name!r:.64}; say all of them there"
            )
    return schedule


def _arguments(
    old: Mapping[str, Any], options: Mapping[str, Any], args: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the kept arguments, with the object given for all of them, and with each given one."""
    whole = options.get("args", {})
    if not isinstance(whole, Mapping):
        raise BadOption('args is not an object such as {"width": 200}; or write width=200')
    for name in args:
        if name in whole:
            raise BadOption(f"the argument {name!r:.64} is given twice: by itself and in args")
    return {**old.get("args", {}), **whole, **args}


def print_set(old: ScheduleView | None, new: ScheduleView) -> None:
    """Print the rule of the schedule in words; for an existing one each change, and what stayed."""
    print(f"{new.name}: {new.description}")
    if old is None or old.schedule is None or new.schedule is None:
        return
    if old.job != new.job:
        print(f"  job: {old.job} -> {new.job}")
    changes = print_changes(old.schedule, new.schedule, others=old.job != new.job)
    changed = {each.field.partition(".")[0] for each in changes}
    if kept_fields := kept(new.schedule, changed):
        unchanged = ", ".join(f"{key} {shown(value)}" for key, value in kept_fields.items())
        print(f"  as it was: {unchanged}; --replace sets back what is not said")
