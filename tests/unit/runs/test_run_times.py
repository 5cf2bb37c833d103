"""The times a run is for: what their names stand for, and how expressions compute with them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rota import this_run
from rota.errors import BadArguments, BadExpression, BadGraph, BadInput, BadOption
from rota.model.runs.run import Origin
from rota.model.schedules.definitions import Schedule
from rota.rules.graphs.expressions.cel import Expression, Names, Values
from rota.rules.graphs.references import Known, resolve
from rota.rules.runs.times import FIELDS, run_value, run_values
from rota.rules.schedules.arguments import example_args, resolve_args
from rota.rules.schedules.options import read_schedule
from rota.rules.text.template import fill, placeholders, values_for

NIGHT = 1_774_748_400_000  # 2026-03-29T01:40:00Z, in the night in which Paris changes its clocks
DAY_MS = 86_400_000


def origin(**fields: Any) -> str:
    given: dict[str, Any] = {
        "schedule": "nightly",
        "kind": "time",
        "scheduled_for": NIGHT,
        "interval_start": NIGHT - DAY_MS,
        "interval_end": NIGHT,
        "zone": "Europe/Paris",
    }
    return msgspec.json.encode(Origin(**given | fields)).decode()


def evaluate(text: str, source: str | None = None) -> Any:
    values = Values({}, {}, {}, run=run_values(source))
    return Expression.parse(text, Names()).evaluate(values)


def test_times_are_written_in_the_zone_of_the_schedule() -> None:
    values = run_values(origin(kind="backfill", backfill="b1"))

    assert values == {
        "schedule": "nightly",
        "started_by": "backfill",
        "backfill": "b1",
        "scheduled_for": "2026-03-29T03:40:00+02:00",
        "scheduled_day": "2026-03-29",
        "interval_start": "2026-03-28T02:40:00+01:00",
        "interval_start_day": "2026-03-28",
        "interval_end": "2026-03-29T03:40:00+02:00",
        "interval_end_day": "2026-03-29",
    }
    assert set(values) == set(FIELDS)


def test_an_origin_of_an_older_version_is_read_as_utc() -> None:
    text = f'{{"schedule":"s","kind":"time","scheduledFor":{NIGHT}}}'

    assert run_values(text)["scheduled_for"] == "2026-03-29T01:40:00+00:00"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("run.scheduled_day", "2026-03-29"),
        ("day(run.interval_start)", "2026-03-28"),
        ("shift(run.scheduled_day, '-1d')", "2026-03-28"),
        ("shift(run.scheduled_for, '90m')", "2026-03-29T05:10:00+02:00"),
        ("format(run.scheduled_for, '%Y/%m/%d %H%%')", "2026/03/29 03%"),
        ("format(shift(run.scheduled_day, '-1w'), '%G-W%V')", "2026-W12"),
        ("run.schedule + '-' + run.started_by", "nightly-time"),
        ("run.backfill == null", True),
    ],
)
def test_expressions_compute_with_times(text: str, value: object) -> None:
    assert evaluate(text, origin()) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("run.scheduled_dya", "Did you mean 'scheduled_day'"),
        ("day('monday')", "'monday' is not a time"),
        ("shift(run.scheduled_day, '3h')", "not a number of whole days"),
        ("shift(run.scheduled_day, 'soon')", "is not a duration"),
        ("shift('9999-12-31', '1d')", "not in a year of four digits"),
        ("format(run.scheduled_for, '%999999d')", "is not a code of a pattern"),
        ("format(run.scheduled_for, '%')", "is not a code of a pattern"),
        ("day(7)", "no matching overload"),
    ],
)
def test_a_bad_time_is_refused_with_a_reason(text: str, words: str) -> None:
    with pytest.raises(BadExpression, match=words):
        evaluate(text, origin())


def test_times_of_a_run_without_a_schedule_are_null_and_say_so_where_one_is_needed() -> None:
    assert evaluate("run.scheduled_for == null") is True
    with pytest.raises(BadExpression, match="null unless a schedule started it"):
        evaluate("day(run.scheduled_for)")
    with pytest.raises(BadArguments, match="no schedule started this run"):
        run_value(run_values(None), "scheduled_day")
    assert run_value(run_values(None), "schedule") is None


def test_a_reference_to_the_run_is_replaced_and_a_wrong_one_refused() -> None:
    known = Known({}, {}, str, run=run_values(origin()))

    assert resolve({"for": [{"$run": "scheduled_day"}]}, known) == {"for": ["2026-03-29"]}
    with pytest.raises(BadInput, match="run has no 'day'"):
        resolve({"$run": "day"}, known)


def test_arguments_of_a_schedule_may_name_times() -> None:
    schedule = read_schedule(
        "0 2 * * *",
        {
            "zone": "Europe/Paris",
            "args": {
                "day": this_run.scheduled_day,
                "parts": [
                    this_run.interval_start.format("%Y/%m"),
                    this_run.scheduled_day.shift("-1d"),
                ],
                "plain": {"$literal": {"$run": "x"}},
            },
        },
    )

    assert schedule.args["day"] == {"$run": "scheduled_day"}
    assert resolve_args(schedule.args, origin()) == {
        "day": "2026-03-29",
        "parts": ["2026/03", "2026-03-28"],
        "plain": {"$run": "x"},
    }
    assert set(example_args(schedule)) == {"day", "parts", "plain"}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"day": {"$run": "scheduled_dya"}}, "args.day: run has no 'scheduled_dya'"),
        ({"day": {"$ref": "load"}}, r"args.day: \$ref is for nodes of graphs"),
        ({"day": {"$expr": "params.day"}}, "args.day: .*there is no parameter 'day'"),
        ({"day": {"$expr": "day(run.schedule)"}}, "args.day: .*is not a time"),
        ({"day": {"$when": "x"}}, "none of"),
    ],
)
def test_a_schedule_with_a_reference_that_means_nothing_is_refused(
    args: dict[str, Any], words: str
) -> None:
    with pytest.raises((BadOption, BadGraph), match=words):
        read_schedule("0 2 * * *", {"args": args})


def test_a_schedule_without_intervals_cannot_name_one() -> None:
    for trigger in ("@event orders.closed", {"every": "1h", "from_end": True}):
        with pytest.raises(BadOption, match="interval_start is not known"):
            read_schedule(trigger, {"args": {"since": {"$run": "interval_start"}}})


def test_templates_name_times_that_are_no_arguments() -> None:
    texts = ("load", "--day={run.scheduled_day}", "{table}")

    assert placeholders(texts) == ("table",)
    values = values_for({"table": "orders"}, origin())
    assert [fill(text, values) for text in texts] == ["load", "--day=2026-03-29", "orders"]


def test_a_template_says_which_time_it_lacks() -> None:
    with pytest.raises(BadOption, match="run has no 'day'"):
        placeholders(["{run.day}"])
    with pytest.raises(BadArguments, match=r"run\.scheduled_day is not known"):
        fill("{run.scheduled_day}", values_for({}, None))
    assert fill("[{run.backfill}]", values_for({}, origin())) == "[]"


def test_a_reference_to_this_run_is_encoded_as_data() -> None:
    assert this_run.scheduled_for.value() == {"$run": "scheduled_for"}
    assert this_run.interval_start.day.value() == {"$expr": "day(run.interval_start)"}
    assert (this_run.scheduled_day == "2026-01-01").value() == {
        "$expr": 'run.scheduled_day == "2026-01-01"'
    }
    assert isinstance(read_schedule("@daily"), Schedule)
