"""A past for a store in SQLite: a day and a half of runs of the demo's jobs, busier by day."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import apsw
import msgspec

from rota.engine.insight.statistics import add, next_part
from rota.model.runs.run import ErrorDetail
from rota.rules.failures.fingerprint import fingerprint
from rota.store.open import file_of, open_store

MINUTE_MS = 60_000
HOURS = 36
INSERT = """
insert into rota_run_history (id, namespace, job, version, queue, priority, state, args,
    at_most_once, created_at, due_at, ready_at, attempt, failures, crashes, fence, started_at,
    finished_at, result, error, reason)
values (:id, 'default', :job, 1, :queue, 0, :state, :args, 0, :created, :created, :created,
    :attempt, :failures, 0, 1, :started, :ended, :result, :error, :reason)
"""
DIE = """
insert into rota_dead_letter (run_id, namespace, job, version, fingerprint, error_type, message,
    reason, died_at)
values (:id, 'default', :job, 1, :fingerprint, :type, :message, :reason, :ended)
"""


class Habit(NamedTuple):
    """What a job usually does."""

    job: str
    queue: str
    an_hour: float
    took_ms: int
    args: dict[str, Any]
    fails: float = 0.0
    error: tuple[str, str] = ("", "")


HABITS = (
    Habit("thumbnail", "images", 420, 420, {"image": "cat.png", "width": 200}),
    Habit("notify", "mail", 260, 310, {"user": 42}, 0.01, ("TimeoutError", "no answer in 30 s")),
    Habit(
        *("charge", "default", 110, 900, {"order": 17}, 0.06),
        error=("ConnectionError", "the payment provider does not answer"),
    ),
    Habit("import_orders", "default", 9, 48_000, {"count": 900}),
    Habit("warm_caches", "default", 4, 2_100, {}),
    Habit("send_report", "mail", 1, 6_500, {"day": "yesterday"}),
    Habit(
        *("sync_stock", "default", 5, 1_400, {"warehouse": "north"}, 0.3),
        error=("LookupError", "warehouse north is unknown"),
    ),
)


def give_past(url: str, now_ms: int) -> None:
    """Runs that have ended, and their statistics, as a worker would have counted them."""
    begin = now_ms - HOURS * 60 * MINUTE_MS
    _count(url, begin, limit=1)  # only the mark from which to count
    connection = apsw.Connection(str(file_of(url)))
    with connection:
        runs = list(_runs(begin, now_ms - 2 * MINUTE_MS))
        connection.executemany(INSERT, runs)
        connection.executemany(DIE, map(_letter, filter(lambda run: run["error"], runs)))
    connection.close()
    _count(url, now_ms)


def _count(url: str, now_ms: int, limit: int | None = None) -> None:
    store = open_store(url, clock=lambda: now_ms)
    for _ in itertools.islice(itertools.count(), limit):
        part = store.read(next_part)
        if part is None:
            break
        store.write(partial(add, part=part))
    store.close()


def _runs(begin: int, end: int) -> Iterator[dict[str, Any]]:
    dice = random.Random(7)
    for habit in HABITS:
        at = float(begin)
        while at < end:
            pace = 0.35 + 0.65 * math.sin(math.pi * ((at / 3_600_000) % 24) / 24) ** 2
            at += dice.expovariate(habit.an_hour * pace / 3_600_000)
            if at < end:
                yield _run(habit, int(at), dice)


def _run(habit: Habit, created: int, dice: random.Random) -> dict[str, Any]:
    is_bad = dice.random() < habit.fails
    started = created + int(dice.expovariate(1 / 30))
    error = {"type": habit.error[0], "message": habit.error[1]}
    return {
        "id": f"{created >> 16:08x}-{created & 65535:04x}-7000-8{dice.getrandbits(12):03x}-"
        f"{dice.getrandbits(48):012x}",
        "job": habit.job,
        "queue": habit.queue,
        "state": "failed" if is_bad else "success",
        "args": json.dumps(habit.args),
        "created": created,
        "started": started,
        "ended": started + int(habit.took_ms * dice.lognormvariate(0, 0.35)),
        "attempt": 3 if is_bad else 1,
        "failures": 3 if is_bad else 0,
        "result": None if is_bad else '"done"',
        "error": json.dumps(error) if is_bad else None,
        "reason": "retries used up (2)" if is_bad else None,
    }


def _letter(run: dict[str, Any]) -> dict[str, Any]:
    error = msgspec.json.decode(run["error"], type=ErrorDetail)
    cause = fingerprint(job=run["job"], error=error, reason=run["reason"])
    return {**run, "fingerprint": cause, "type": error.type, "message": error.message}
