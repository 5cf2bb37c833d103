"""Breakage: definitions of other owners that stop working once bundles are applied."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from rota.errors import BadInput, BadOption
from rota.model.jobs.apply_plan import StoredSchedule
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.rules.admission.dependencies import check_there
from rota.rules.failures.on_failure import check_told, told_by
from rota.rules.graphs.known import check_known
from rota.rules.jobs.stored_signature import check_schedule

SHOWN = 10
"""The number of broken definitions that the error lists."""
Specs = Mapping[str, JobSpec]


def check_others(
    before: Specs,
    after: Specs,
    schedules: Mapping[str, StoredSchedule],
    *,
    names: Collection[str],
    places: Mapping[str, str],
    owners: Mapping[str, str],
) -> None:
    """Raise BadOption with the names if something that worked before stops working.

    `names` are the jobs of the bundles, which are checked separately. `schedules` are those that
    stay and are not among the bundles. `owners` says who owns a job.
    """
    touched = {name for name in before if after.get(name) != before[name]}
    broken = [
        *_broken_jobs(before, after, touched, names, owners),
        *_broken_schedules(before, after, touched, schedules),
    ]
    if not broken:
        return
    more = f"; and {len(broken) - SHOWN} more" if len(broken) > SHOWN else ""
    changed = sorted({job for job, _ in broken})
    place = next((f"{places[job]}: " for job in changed if job in places), "")
    listed = "; ".join(says for _, says in broken[:SHOWN])
    cause = _changes_text(changed, after)
    raise BadOption(
        f"{place}{cause} would break what others have on record: {listed}{more}. "
        "Apply their files together with this one, change or remove them first, or give the new "
        "job another name"
    )


def _broken_jobs(
    before: Specs,
    after: Specs,
    touched: set[str],
    names: Collection[str],
    owners: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield each changed job, and which definitions of others it breaks."""
    for name, spec in after.items():
        cause = touched & _named_by(spec) if name not in names else set()
        if not cause or _wrong(spec, before) is not None:
            continue
        wrong = _wrong(spec, after)
        if wrong is not None:
            yield min(cause), f"{wrong} (it belongs to {owners.get(name, 'others')})"


def _broken_schedules(
    before: Specs, after: Specs, touched: set[str], schedules: Mapping[str, StoredSchedule]
) -> Iterator[tuple[str, str]]:
    for name, each in schedules.items():
        if each.schedule is None or each.job not in touched or each.job not in after:
            continue
        try:
            check_schedule(each.schedule, before[each.job])
        except BadInput:
            continue
        try:
            check_schedule(each.schedule, after[each.job])
        except BadInput as error:
            yield each.job, f"schedule {name!r}: {error}"


def _named_by(spec: JobSpec) -> set[str]:
    """Return the jobs and graphs that a job refers to by name."""
    nodes = spec.target.graph.nodes if isinstance(spec.target, GraphTarget) else ()
    called = {name for node in nodes for name in (node.job, node.graph) if name is not None}
    handler = told_by(spec)
    return called | set(spec.dependencies) | (set() if handler is None else {handler})


def _wrong(spec: JobSpec, specs: Specs) -> str | None:
    try:
        if isinstance(spec.target, GraphTarget):
            check_known([spec.target.graph], specs, {})
        check_there({spec.name: spec}, specs)
        check_told({spec.name: spec}, specs)
    except BadInput as error:
        reason = str(error)
        graph_label = f"graph {spec.name!r}" if isinstance(spec.target, GraphTarget) else ""
        return reason if spec.name in reason else f"{graph_label}: {reason}"
    return None


def _changes_text(changed: list[str], after: Specs) -> str:
    removed = [repr(name) for name in changed if name not in after]
    new = [repr(name) for name in changed if name in after]
    parts = [
        f"removing job {', '.join(removed)}" if removed else "",
        f"changing job {', '.join(new)}" if new else "",
    ]
    return " and ".join(filter(None, parts))
