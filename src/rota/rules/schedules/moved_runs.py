"""Runs that a change of a schedule removes, adds and moves."""

from __future__ import annotations

from rota.clock import moment
from rota.model.jobs.apply_plan import RunChange
from rota.rules.schedules.zones import zone


def paired(name: str, old: list[int], new: list[int], zone_name: str) -> list[RunChange]:
    """Pair removed with added runs: those on the same day of the zone, in order, were moved."""
    removed, come = sorted({*old} - {*new}), sorted({*new} - {*old})
    where = zone(zone_name)
    by_day: dict[object, list[int]] = {}
    for at in come:
        by_day.setdefault(where.wall(at).date(), []).append(at)
    changes = []
    for at in removed:
        same_day = by_day.get(where.wall(at).date())
        if same_day:
            new_at = moment(same_day.pop(0))
            changes.append(RunChange(schedule=name, verb="move", old=moment(at), new=new_at))
        else:
            changes.append(RunChange(schedule=name, verb="remove", old=moment(at)))
    unpaired = [at for times in by_day.values() for at in times]
    changes += [RunChange(schedule=name, verb="add", new=moment(at)) for at in unpaired]
    return sorted(changes, key=lambda each: each.old or each.new or moment(0))
