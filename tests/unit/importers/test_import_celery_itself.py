"""Celery's own classes as the measure of what is imported; only where Celery is installed."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.rules.jobs.importers.celery import read_beat
from rota.rules.jobs.importers.report import Imported
from rota.rules.jobs.signature import Signature
from rota.runtime.executors.process.lookup import find_function
from tests.support.imports import fire_times

celery = pytest.importorskip("celery")
schedules = pytest.importorskip("celery.schedules")

CLOCK = celery.Celery("clock", set_as_current=False)
START = datetime(2026, 1, 1, tzinfo=UTC)
TASKS = """
from celery import Celery, Task, shared_task

app = Celery("shop", set_as_current=True)

@app.task(name="risk.heat")
def score(days: int, *, deep: bool = False):
    return [days, deep]

@shared_task(name="mail.send", bind=True)
def send(self, to, text="hi"):
    return [self.name, to, text]

class Counter(Task):
    name = "count.up"
    def run(self, by: int = 1):
        return by

counter = app.register_task(Counter())
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Any]:
    """Once: Celery warns of a name that is registered again."""
    module = types.ModuleType("celery_shop")
    sys.modules["celery_shop"] = module
    exec(TASKS, module.__dict__)  # our own text
    yield module
    del sys.modules["celery_shop"]


def imported(app: Any, entry: dict[str, Any]) -> Imported:
    app.conf.beat_schedule = {"it": entry}
    return read_beat(app, "celery_shop:app")


@pytest.mark.parametrize(
    ("task", "args", "name", "given", "result"),
    [
        ("risk.heat", (3,), "score", {"days": 3}, [3, False]),
        ("mail.send", ("ann",), "send", {"to": "ann"}, ["mail.send", "ann", "hi"]),
        ("count.up", (), "counter", {}, 1),
    ],
)
def test_a_task_is_found_named_and_can_be_called(
    shop: Any, task: str, args: tuple[Any, ...], name: str, given: dict[str, Any], result: Any
) -> None:
    (entry,) = imported(shop.app, {"task": task, "schedule": 30.0, "args": args}).entries

    assert entry.job["python"] == f"celery_shop:{name}"
    assert entry.job["schedule"].get("arguments", {}) == given
    function = find_function(entry.job["python"])
    Signature.of(function).bind((), given)
    assert given.keys() <= entry.job["parameters"].keys()
    assert function(**given) == result


def test_the_zone_and_the_kinds_of_schedules(shop: Any) -> None:
    shop.app.conf.timezone = "Europe/Moscow"
    every = imported(shop.app, {"task": "count.up", "schedule": schedules.schedule(90)})
    solar = imported(
        shop.app,
        {"task": "count.up", "schedule": schedules.solar("sunset", 48.1, 11.6)},
    )

    assert every.entries[0].job["schedule"]["every"] == "1m 30s"
    assert every.entries[0].job["schedule"]["timezone"] == "Europe/Moscow"
    assert "solar" in solar.skipped[0].reason


def field(low: int, high: int, names: tuple[str, ...] = ()) -> st.SearchStrategy[Any]:
    number = st.integers(low, high)
    two = st.tuples(number, number).map(sorted)
    span = two.map(lambda ends: f"{ends[0]}-{ends[1]}")
    step = st.integers(1, 10).map(lambda each: f"*/{each}")
    stepped = two.flatmap(
        lambda ends: st.integers(1, 5).map(lambda each: f"{ends[0]}-{ends[1]}/{each}")
    )
    text = st.lists(number.map(str) | span | stepped, min_size=1, max_size=3).map(",".join)
    named = st.sampled_from(names) if names else st.nothing()
    return st.just("*") | number | text | step | named | st.sets(number, min_size=1, max_size=3)


def theirs(schedule: Any, count: int) -> list[str]:
    at = START
    found: list[str] = []
    while len(found) < count:
        last, delta, _ = schedule.remaining_delta(at, tz=UTC)
        at = last + delta
        found.append(at.strftime("%Y-%m-%dT%H:%M"))
    return found


@given(
    minute=field(0, 59),
    hour=field(0, 23),
    day_of_month=field(1, 28),
    month_of_year=field(1, 12),
    day_of_week=field(0, 6, ("mon-fri", "sat,sun", "tue", "fri-mon")),
)
def test_a_crontab_fires_when_celery_fires_it(**fields: Any) -> None:
    schedule = schedules.crontab(**fields, app=CLOCK, nowfun=lambda: START)
    found = read_beat({"it": {"task": "a.b", "schedule": schedule}}, "m:o")

    ours = fire_times(found, "it", START, 3) if found.entries else found.skipped
    assert ours == theirs(schedule, 3)[: len(ours)]
    assert len(ours) == 3 or START + timedelta(days=399) < _after(schedule, len(ours))


def _after(schedule: Any, count: int) -> datetime:
    return datetime.fromisoformat(theirs(schedule, count + 1)[-1]).replace(tzinfo=UTC)
