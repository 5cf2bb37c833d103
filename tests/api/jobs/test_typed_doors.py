"""Arguments that a job or a graph cannot take: every address refuses them beforehand."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import pytest

from tests.api.serving import Served

RUNS = "/api/v1/runs"
SCHEDULES = "/api/v1/schedules"


class Colour(enum.Enum):
    red = "r"


@dataclass
class Order:
    id: int


WRONG: list[dict[str, Any]] = [
    {"mode": "zz"},
    {"day": "2026-02-30"},
    {"wait": "5s"},
    {"colour": "green"},
    {"order": {"id": "x"}},
]


def given_jobs(served: Served) -> None:
    app = served.app

    def typed(
        mode: Literal["x", "y"] = "x",
        day: date | None = None,
        wait: timedelta = timedelta(seconds=5),
        colour: Colour = Colour.red,
        order: Order | None = None,
    ) -> None: ...

    job = app.job(typed)

    @app.graph
    def flow(
        mode: Literal["x", "y"] = "x",
        day: date | None = None,
        wait: timedelta | None = None,
        colour: Colour | None = None,
        order: Order | None = None,
    ) -> None:
        job()

    app.define((job, flow.job))


@pytest.mark.parametrize("job", ["typed", "flow"])
def test_every_address_refuses_what_the_job_cannot_take(served: Served, job: str) -> None:
    given_jobs(served)
    client = served.client("admin")
    timed = {"job": job, "expression": "0 4 * * *"}
    heard = {"job": job, "expression": "@event arrived"}
    assert client.put(f"{SCHEDULES}/timed", json=timed).is_success
    assert client.put(f"{SCHEDULES}/heard", json=heard).is_success
    run_id = client.post(RUNS, json={"jobId": job}).json()["executionId"]
    client.post(f"{RUNS}/{run_id}/cancel")

    for wrong in WRONG:
        args = {"args": wrong}
        answers = {
            "run": client.post(RUNS, json={"jobId": job} | args),
            "bulk": client.post(f"{RUNS}/bulk", json={"runs": [{"jobId": job} | args]}),
            "rerun": client.post(f"{RUNS}/{run_id}/rerun", json=args),
            "put timed": client.put(f"{SCHEDULES}/timed", json=timed | args),
            "put heard": client.put(f"{SCHEDULES}/heard", json=heard | args),
            "trigger timed": client.post(f"{SCHEDULES}/timed/trigger", json=args),
            "trigger heard": client.post(f"{SCHEDULES}/heard/trigger", json=args),
        }
        codes = {door: answer.json()["code"] for door, answer in answers.items()}
        assert set(codes.values()) == {"bad-arguments"}, (wrong, codes)

    client.delete(f"{SCHEDULES}/heard")
    for wrong in WRONG:
        refused = client.post(f"/api/v1/jobs/{job}/trigger", json={"args": wrong})
        assert refused.json()["code"] == "bad-arguments"
