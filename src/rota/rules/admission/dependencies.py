"""Dependencies between jobs: a run starts after the runs of other jobs for the same time.

The functions are pure: they take facts about the other job and return whether the run may start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Literal

import msgspec

from rota.errors import BadOption
from rota.model.jobs.spec import JobSpec
from rota.model.states import FINAL, State
from rota.rules.text.checks import at_place, hint

MOST = 100
SHOWN = 12
Word = Literal["met", "waits", "refused"]


class DependencyParent(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one dependency: its run for the same time, or why there is none."""

    job: str
    schedule: str = ""
    run_id: str | None = None
    state: State | None = None
    """The state of that run; None if the run is no longer on record."""
    decision: str | None = None
    """The schedule's decision about an instant without a run, such as skipped."""
    is_due: bool = False
    """True if there is no run yet, but the schedule has this instant and will fire it."""
    is_missed: bool = False
    """True if there is no run, because the schedule is paused or has passed this instant."""


class DependencyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one dependency lets a run start."""

    word: Word
    says: str = ""


def judge(parent: DependencyParent) -> DependencyAnswer:
    """Decide one dependency: a success meets it, and so does a run that was never planned."""
    if parent.run_id is not None:
        return _judge_run(f"run {parent.run_id} of job {parent.job}", parent.state)
    none = f"job {parent.job} has no run for this time"
    if parent.decision is not None:
        return _refused(f"{none}: {parent.decision}")
    if parent.is_missed:
        return _refused(f"{none}: its schedule {parent.schedule} is paused or missed it")
    if parent.is_due:
        says = f"job {parent.job}: its schedule {parent.schedule} has not fired this time yet"
        return DependencyAnswer(word="waits", says=says)
    return DependencyAnswer(word="met")


def _judge_run(run: str, state: State | None) -> DependencyAnswer:
    if state is None:
        return _refused(f"{run} is not on record any more")
    if state is State.SUCCESS:
        return DependencyAnswer(word="met")
    if state in FINAL:
        return _refused(f"{run} ended as {state}")
    return DependencyAnswer(word="waits", says=f"{run}, which is {state}")


def judge_all(parents: Sequence[DependencyParent]) -> tuple[Word, list[str]]:
    """Decide all dependencies: all must be met, and a single refused one refuses the run."""
    answers = [judge(parent) for parent in parents]
    for word in ("refused", "waits"):
        says = [answer.says for answer in answers if answer.word == word]
        if says:
            return ("refused" if word == "refused" else "waits"), says
    return "met", []


def read_dependencies(option: str, value: object) -> tuple[str, ...]:
    """Read a list of jobs or job names; a duplicate raises BadOption."""
    each_given = [value] if isinstance(value, str) else value
    if not isinstance(each_given, Sequence):
        raise BadOption(f"{option}={value!r:.64} is not a list of jobs")
    names: list[str] = []
    for each in each_given:
        name = each if isinstance(each, str) else getattr(each, "name", None)
        if not isinstance(name, str) or not name:
            raise BadOption(f"{option}: {each!r:.64} is neither a job nor the name of one")
        if name in names:
            raise BadOption(f"{option}: {name!r:.64} is listed twice")
        names.append(name)
    if len(names) > MOST:
        raise BadOption(f"{option}: {len(names)} are more than {MOST}")
    return tuple(names)


def check_other(job: str, dependencies: Collection[str]) -> None:
    """Raise BadOption if a job depends on itself."""
    if job in dependencies:
        raise BadOption(f"dependencies: job {job!r:.64} cannot wait for itself")


def check_there(
    new_specs: Mapping[str, JobSpec],
    specs: Mapping[str, JobSpec],
    places: Mapping[str, str] | None = None,
) -> None:
    """Raise BadOption if a dependency is not defined; `places` maps jobs to places in files."""
    for name, spec in new_specs.items():
        for each in spec.dependencies:
            if each not in specs:
                raise BadOption(
                    f"{at_place(places, name)}job {name!r}: dependencies: no job is named "
                    f"{each!r:.64} in the files or on record.{hint(each, specs)}"
                )


def check_circles(specs: Mapping[str, JobSpec], places: Mapping[str, str] | None = None) -> None:
    """Raise BadOption with the cycle if jobs wait for each other in a circle."""
    parents = {
        name: [each for each in spec.dependencies if each in specs] for name, spec in specs.items()
    }
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        way = " -> ".join(error.args[1][:SHOWN])
        first = next((name for name in error.args[1] if name in (places or ())), "")
        raise BadOption(
            f"{at_place(places, first)}dependencies: jobs wait for each other in a circle: {way}"
        ) from error


def _refused(says: str) -> DependencyAnswer:
    return DependencyAnswer(word="refused", says=says)
