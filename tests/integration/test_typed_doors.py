"""Arguments that a job or a graph cannot take: refused at every door alike, and never lost."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import pytest

from rota import App
from rota.app.jobs.named import recorded_job
from rota.engine.jobs.definitions import jobs
from rota.errors import BadArguments
from tests.integration.conftest import Serve

LIMIT = 60


class Colour(enum.Enum):
    red = "r"


@dataclass
class Order:
    id: int


@pytest.fixture
def shop(app: App) -> App:
    @app.job(retries=0)
    def one(n: int) -> int:
        return n

    @app.graph
    def flow(
        n: int,
        names: list[str] = ["a"],  # noqa: B006  # nobody changes it
        mode: Literal["x", "y"] = "x",
        day: date | None = None,
        order: Order | None = None,
    ) -> Any:
        return one(n)

    @app.job(retries=0)
    def typed(
        n: int,
        day: date | None = None,
        wait: timedelta = timedelta(seconds=5),
        colour: Colour = Colour.red,
        order: Order | None = None,
    ) -> int:
        return n

    app.define((flow.job, typed))
    return app


@pytest.fixture
def without_code(app: App) -> Iterator[App]:
    """On the same store, with none of the jobs."""
    with App(app.url) as other:
        yield other


WRONG: list[dict[str, Any]] = [
    {"names": [5]},
    {"mode": "zz"},
    {"day": "nope"},
    {"order": {"id": "x"}},
    {"nosuch": 1},
]
WRONG_OF_A_JOB: list[dict[str, Any]] = [
    {"day": "2026-02-30"},
    {"wait": "5s"},
    {"colour": "green"},
    {"order": {"id": "x"}},
    {"order": {}},
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: next(iter(each)))
@pytest.mark.parametrize("rule", ["@event arrived", "@daily"])
def test_a_schedule_started_by_hand_takes_what_its_graph_takes(
    shop: App, rule: str, wrong: dict[str, Any]
) -> None:
    shop.schedules.put("s", rule, job="flow", args={"n": 1})

    with pytest.raises(BadArguments, match=next(iter(wrong))):
        shop.schedules.trigger("s", wrong)

    assert shop.schedules.trigger("s", {"names": ["b"], "mode": "y"}) is not None


@pytest.mark.parametrize("wrong", WRONG_OF_A_JOB, ids=lambda each: str(each)[:20])
@pytest.mark.parametrize("rule", ["@event arrived", "@daily"])
def test_a_schedule_of_a_job_takes_what_the_job_takes(
    shop: App, rule: str, wrong: dict[str, Any]
) -> None:
    with pytest.raises(BadArguments, match=next(iter(wrong))):
        shop.schedules.put("s", rule, job="typed", args={"n": 1, **wrong})
    shop.schedules.put("s", rule, job="typed", args={"n": 1})
    with pytest.raises(BadArguments, match=next(iter(wrong))):
        shop.schedules.trigger("s", wrong)


def test_an_event_schedule_is_not_started_by_hand_without_its_arguments(shop: App) -> None:
    shop.schedules.put("s", "@event arrived", job="typed")

    with pytest.raises(BadArguments, match="missing a required argument: 'n'"):
        shop.schedules.trigger("s")

    assert shop.schedules.trigger("s", {"n": 1}) is not None


@pytest.mark.parametrize("job", ["flow", "typed"])
def test_a_submit_by_name_knows_dates_choices_and_classes(shop: App, job: str) -> None:
    views = shop.store.read(lambda tx: jobs(tx, namespace=shop.namespace))
    stored = recorded_job(shop, next(view for view in views if view.name == job))

    for wrong in WRONG if job == "flow" else WRONG_OF_A_JOB:
        with pytest.raises(BadArguments, match=next(iter(wrong))):
            stored.submit(n=1, **wrong)

    assert stored.submit(n=1, day="2026-02-28", order={"id": 5}).id


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: next(iter(each)))
def test_a_rerun_takes_what_its_graph_takes(shop: App, serve: Serve, wrong: dict[str, Any]) -> None:
    serve()
    run = shop.graphs["flow"].submit(1)
    run.result(LIMIT)

    with pytest.raises(BadArguments, match=next(iter(wrong))):
        run.rerun_nodes("all", params={"n": 1, **wrong})
    with pytest.raises(BadArguments, match="n"):
        run.rerun_nodes("all", params={"names": ["b"]})

    again = run.rerun_nodes("all", params={"n": 2, "day": date(2026, 2, 28)})
    assert again.wait(LIMIT).state == "success"


@pytest.mark.parametrize("job", ["flow", "typed"])
@pytest.mark.parametrize(
    ("payload", "said"),
    [({"n": "x"}, "n: Expected `int`"), ({"day": "nope"}, "day: Invalid RFC3339 encoded date")],
)
def test_an_event_that_does_not_fit_is_a_failed_run_that_says_why(
    shop: App, serve: Serve, job: str, payload: dict[str, Any], said: str
) -> None:
    serve()
    shop.schedules.put("s", "@event arrived", job=job, args={"n": 1})

    (heard,) = shop.send("arrived", payload).heard
    run = shop.run(heard.run_id or "")

    assert run.wait(LIMIT).state == "failed"
    letter = shop.dead_letters.show(run.id)
    assert said in letter.message
    assert len(run.attempts()) <= 1


@pytest.mark.parametrize("job", ["flow", "typed"])
def test_a_letter_is_redriven_with_what_its_job_takes(
    shop: App, serve: Serve, job: str, without_code: App
) -> None:
    serve()
    shop.schedules.put("s", "@event arrived", job=job, args={"n": 1})
    (heard,) = shop.send("arrived", {"day": "nope"}).heard
    shop.run(heard.run_id or "").wait(LIMIT)

    for app in (shop, without_code):
        with pytest.raises(BadArguments, match="day"):
            app.dead_letters.redrive(heard.run_id or "", args={"n": 1, "day": "2026-02-30"})

    assert without_code.dead_letters.redrive(heard.run_id or "", args={"n": 1})
