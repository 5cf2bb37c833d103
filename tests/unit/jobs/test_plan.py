"""Plans: what differs between a bundle and the store, and which runs that moves."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import Moment
from rota.errors import BadOption
from rota.model.jobs.apply_plan import Plan, Stored, StoredJob, StoredSchedule, Wish
from rota.model.jobs.bundle import Bundle
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.plan import make_plan, origin_of

MIDNIGHT = 1_792_540_800_000  # 2026-10-21T00:00Z
HOUR = 3_600_000
DAY = 24 * HOUR


def bundle(jobs: str, *, name: str = "f.yaml", more: str = "") -> Bundle:
    return read_bundle(f"{more}\njobs:\n{jobs}".encode(), name)


def stored_as(given: Bundle, **changed: Any) -> Stored:
    """What the store holds after an apply of the bundle."""
    facts: dict[str, Any] = {
        "now": MIDNIGHT,
        "jobs": {
            name: StoredJob(spec=spec, origin=origin_of(given)) for name, spec in given.jobs.items()
        },
        "schedules": {
            name: StoredSchedule(
                job=each.job, schedule=each.schedule, origin="file", state="active"
            )
            for name, each in given.schedules.items()
        },
        "calendars": given.calendars,
        "blackouts": given.blackouts,
    }
    return Stored(**facts | changed)


def plan(given: Bundle | list[Bundle], stored: Stored | None = None, **wish: Any) -> Plan:
    bundles = given if isinstance(given, list) else [given]
    asked = Wish(**{"horizon_ms": 3 * DAY} | wish)
    return make_plan(bundles, stored or Stored(now=MIDNIGHT), asked, seed=str)


def said(made: Plan) -> list[str]:
    return [f"{each.verb} {each.kind} {each.name}" for each in made.changes]


def runs(made: Plan) -> list[tuple[str, float | None, float | None]]:
    """Verb, old and new hour since now."""

    def hour(at: Moment | None) -> float | None:
        return None if at is None else (at.ms - MIDNIGHT) / HOUR

    return [(each.verb, hour(each.old), hour(each.new)) for each in made.runs]


NIGHTLY = bundle("  a: {command: x, schedule: 0 3 * * *}")


def test_everything_is_new_in_an_empty_store() -> None:
    given = bundle(
        "  a: {command: x, schedule: 0 3 * * *, calendar: c}",
        more="calendars: {c: {country: FR}}\n"
        "blackouts: {b: {kind: skip, start: 2026-12-01, end: 2026-12-02}}",
    )
    made = plan(given)

    assert said(made) == ["add calendar c", "add blackout b", "add job a", "add schedule a"]
    assert runs(made) == [("add", None, 3), ("add", None, 27), ("add", None, 51)]


def test_the_same_again_is_nothing_to_do() -> None:
    made = plan(NIGHTLY, stored_as(NIGHTLY))

    assert (made.changes, made.runs, made.unchanged) == ((), (), 2)


def test_a_default_that_is_written_out_is_no_change() -> None:
    spelled = bundle(
        "  a: {command: x, queue: default, schedule: {cron: 0 3 * * *, dialect: vixie, gap: cron}}"
    )

    assert said(plan(spelled, stored_as(NIGHTLY))) == []


def test_a_change_is_told_field_by_field() -> None:
    changed = bundle("  a: {command: x y, retries: 5, schedule: 0 4 * * *, overlap: skip}")
    made = plan(changed, stored_as(NIGHTLY))
    fields = {
        (change.kind, each.field): (each.old, each.new)
        for change in made.changes
        for each in change.fields
    }

    assert fields == {
        ("job", "target.argv"): (["x"], ["x", "y"]),
        ("job", "retry.limit"): (3, 5),
        ("schedule", "trigger.expression"): ("0 3 * * *", "0 4 * * *"),
        ("schedule", "overlap"): ("allow", "skip"),
    }
    assert runs(made) == [("move", 3, 4), ("move", 27, 28), ("move", 51, 52)]


def test_runs_that_come_and_go_are_told_apart_from_those_that_move() -> None:
    rarer = bundle("  a: {command: x, schedule: 0 5 22 * *}")
    often = bundle("  a: {command: x, schedule: '0 3,15 * * *'}")

    assert runs(plan(rarer, stored_as(NIGHTLY))) == [
        ("remove", 3, None),
        ("move", 27, 29),
        ("remove", 51, None),
    ]
    assert runs(plan(often, stored_as(NIGHTLY))) == [
        ("add", None, 15),
        ("add", None, 39),
        ("add", None, 63),
    ]


def test_runs_are_compared_since_the_moment_that_is_asked_for() -> None:
    later = bundle("  a: {command: x, schedule: 30 4 * * *}")
    made = plan(later, stored_as(NIGHTLY), start=MIDNIGHT + 4 * HOUR, horizon_ms=DAY)

    assert runs(made) == [("add", None, 4.5), ("remove", 27, None)]
    assert made.until.ms == MIDNIGHT + 28 * HOUR


def test_only_a_policy_moves_no_runs() -> None:
    skipping = bundle("  a: {command: x, schedule: 0 3 * * *, overlap: skip}")
    made = plan(skipping, stored_as(NIGHTLY))

    assert said(made) == ["change schedule a"]
    assert made.runs == ()


def test_the_plan_lists_jobs_that_left_the_file_and_prune_removes_them() -> None:
    two = bundle("  a: {command: x, schedules: ['0 3 * * *', '0 9 * * *']}\n  b: {command: y}")
    stored = stored_as(two)

    kept = plan(NIGHTLY, stored)
    pruned = plan(NIGHTLY, stored, prune=True)

    assert kept.changes == ()
    assert [(each.kind, each.name) for each in kept.leftovers] == [
        ("schedule", "a.2"),
        ("job", "b"),
    ]
    assert said(pruned) == ["remove schedule a.2", "remove job b"]
    assert runs(pruned) == [("remove", 9, None), ("remove", 33, None), ("remove", 57, None)]
    assert pruned.leftovers == ()


def test_other_files_and_other_origins_are_left_alone() -> None:
    other = bundle("  z: {command: x, schedule: '@daily'}", name="other.yaml")
    stored = stored_as(other)

    assert said(plan(NIGHTLY, stored, prune=True)) == ["add job a", "add schedule a"]


def test_a_job_that_goes_takes_schedules_of_others_along() -> None:
    one = bundle("  b: {command: y, schedule: '@daily'}")
    foreign = StoredSchedule(
        job="b", schedule=one.schedules["b"].schedule, origin="api", state="active"
    )
    stored = stored_as(one, schedules={"mine": foreign})

    assert said(plan(bundle("  a: {command: x}"), stored, prune=True)) == [
        "add job a",
        "remove schedule mine",
        "remove job b",
    ]


@pytest.mark.parametrize(("origin", "owner"), [("code", "Python code"), ("file:o.yaml", "o.yaml")])
def test_a_job_of_somebody_else_is_taken_over_only_when_asked(origin: str, owner: str) -> None:
    theirs = {"a": StoredJob(spec=NIGHTLY.jobs["a"], origin=origin)}
    stored = stored_as(NIGHTLY, jobs=theirs)

    with pytest.raises(BadOption, match=owner):
        plan(NIGHTLY, stored)
    (change,) = plan(NIGHTLY, stored, take_over=True).changes

    assert [(each.field, each.old, each.new) for each in change.fields] == [
        ("origin", origin, "file:f.yaml")
    ]


@pytest.mark.parametrize(("job", "origin"), [("other", "file"), ("a", "api")])
def test_a_schedule_of_somebody_else_is_taken_over_only_when_asked(job: str, origin: str) -> None:
    theirs = StoredSchedule(
        job=job, schedule=NIGHTLY.schedules["a"].schedule, origin=origin, state="active"
    )
    stored = stored_as(NIGHTLY, schedules={"a": theirs})

    with pytest.raises(BadOption, match="there already"):
        plan(NIGHTLY, stored)
    assert said(plan(NIGHTLY, stored, take_over=True)) == ["change schedule a"]


def test_two_files_must_not_define_the_same() -> None:
    again = bundle("  a: {command: z}", name="g.yaml")

    with pytest.raises(BadOption, match="job 'a' is defined by two"):
        plan([NIGHTLY, again])


def test_a_schedule_that_a_person_paused_moves_no_runs() -> None:
    changed = bundle("  a: {command: x, schedule: 0 4 * * *}")
    paused = {"a": StoredSchedule(
        job="a", schedule=NIGHTLY.schedules["a"].schedule, origin="file", state="paused"
    )}  # fmt: skip

    made = plan(changed, stored_as(NIGHTLY, schedules=paused))

    assert said(made) == ["change schedule a"]
    assert made.runs == ()


def test_a_pause_in_the_file_takes_the_runs_away_and_its_end_brings_them() -> None:
    paused = bundle("  a: {command: x, schedule: 0 3 * * *, paused: true}")
    held = stored_as(paused)
    schedules = {"a": StoredSchedule(
        job="a", schedule=paused.schedules["a"].schedule, origin="file", state="paused"
    )}  # fmt: skip

    assert {each[0] for each in runs(plan(paused, stored_as(NIGHTLY)))} == {"remove"}
    assert {
        each[0] for each in runs(plan(NIGHTLY, stored_as(held_bundle(held), schedules=schedules)))
    } == {"add"}


def held_bundle(stored: Stored) -> Bundle:
    return Bundle(name="f.yaml", jobs={name: each.spec for name, each in stored.jobs.items()})


def test_a_changed_calendar_moves_the_runs_of_schedules_that_name_it() -> None:
    def with_off(days: str) -> Bundle:
        return bundle(
            "  a: {command: x, schedule: 0 3 * * *, calendar: c}",
            more=f"calendars: {{c: {{off: [{days}]}}}}",
        )

    made = plan(with_off("2026-10-22"), stored_as(with_off("")))

    assert said(made) == ["change calendar c"]
    assert runs(made) == [("remove", 27, None)]


def test_a_schedule_that_fires_too_often_is_compared_as_far_as_its_runs_last() -> None:
    made = plan(bundle("  a: {command: x, schedule: {every: 1s}}"))

    assert made.cut == ("a",)
    assert len(made.runs) == 1_000


def test_a_schedule_that_follows_its_runs_has_no_known_ones() -> None:
    made = plan(bundle("  a: {command: x, schedule: {every: 1h, from_end: true}}"))

    assert said(made) == ["add job a", "add schedule a"]
    assert made.runs == ()


def test_a_plan_of_very_many_runs_is_cut() -> None:
    jobs = "".join(
        f"  job{at}: {{http: 'https://example.org', schedule: '* * * * *'}}\n" for at in range(30)
    )

    made = plan(bundle(jobs))

    assert len(made.runs) == 20_000
    assert len(made.cut) == 30


@pytest.mark.parametrize(
    "wish", [{"start": -1}, {"start": 253_402_300_000_000}, {"horizon_ms": 10**15}]
)
def test_runs_are_compared_where_calendars_are_sure(wish: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match="1970 and 9999"):
        plan(bundle("  ping: {http: 'https://example.org'}\n"), **wish)
