"""Handlers that misbehave: each gets an outcome that people can read, and hurts no other run."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from _pytest.mark import ParameterSet

from rota.app import App
from rota.engine.workers.registry import retire
from rota.errors import PayloadTooLarge, Retry
from rota.model.states import State
from rota.runtime.attempts.context import progress
from rota.store.base import Store
from tests.contract.builders import claim_some, given_worker, reap_some, run_sql
from tests.integration.conftest import BOTH_SOURCES, Serve
from tests.support import handlers
from tests.support.calls import eventually

HEALTHY = 20


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Rude(BaseException):
    """Passes every `except Exception`."""


def has_no_words() -> None:
    raise Mute


def says_too_much() -> None:
    raise ValueError("x" * 5_000_000)


def says_what_no_database_takes() -> None:
    raise ValueError("nul \0 and half a pair \ud800")


def is_rude() -> None:
    raise Rude("out of my way")


def interrupts() -> None:
    raise KeyboardInterrupt


def recurses() -> None:
    recurses()


def returns_half_a_character() -> str:
    return "\ud800"


def wants_nonsense() -> None:
    raise Retry("later", after="soonish")


def notes_nul() -> None:
    progress(0.5, "a\0b")
    raise ValueError("after the note")


def leaves_a_running_thread() -> None:
    asyncio.run(asyncio.sleep(0))
    raise ValueError("left")


async def exits_async() -> None:
    sys.exit(4)


async def never_yields() -> None:
    time.sleep(1.5)  # noqa: ASYNC251  # that is the point
    raise ValueError("at last")


class Case(NamedTuple):
    """A handler, and what is recorded of it."""

    handler: Callable[..., Any]
    says: str
    reason: str = "no retries allowed"

    def on(self, store: str) -> ParameterSet:
        marks = [pytest.mark.postgres] if store == "postgres" else []
        return pytest.param(store, self, marks=marks, id=f"{self.handler.__name__}-{store}")


HOPELESS = "another attempt cannot help"
CASES = [
    # What these leave is for the store to swallow, and the stores differ in what they take.
    Case(returns_half_a_character, "", HOPELESS),
    Case(says_too_much, "characters cut"),
    Case(says_what_no_database_takes, "half a pair"),
    Case(notes_nul, "after the note"),
    Case(wants_nonsense, "later"),
]
CASES_OF_EXECUTORS = [
    Case(handlers.not_json, "object", HOPELESS),
    Case(handlers.too_large, "", HOPELESS),
    Case(handlers.exits, "handler called sys.exit(3)"),
    Case(exits_async, "handler called sys.exit(4)"),
    Case(has_no_words, "__str__ raised RuntimeError"),
    Case(is_rude, "out of my way"),
    Case(interrupts, ""),
    Case(recurses, "maximum recursion depth"),
    Case(leaves_a_running_thread, "left"),
    Case(never_yields, "at last"),
]


@pytest.mark.parametrize(
    ("store_url", "case"),
    [case.on(store) for case in CASES for store in ("sqlite", "postgres")]
    + [case.on("sqlite") for case in CASES_OF_EXECUTORS],
    indirect=["store_url"],
)
def test_a_bad_handler_is_recorded_and_hurts_nobody(app: App, serve: Serve, case: Case) -> None:
    bad = app.job(retries=0)(case.handler)
    sync, asynchronous = app.job(handlers.add), app.job(handlers.add_async)
    serve()
    run = bad.submit()
    beside = sync.submit_many(range(HEALTHY)) + asynchronous.submit_many(range(HEALTHY))
    ended = run.wait(timeout=20)

    assert (ended.state, ended.reason) == (State.FAILED, case.reason)
    assert ended.error is not None
    assert case.says in ended.error.message
    assert len(ended.error.message) < 5_000
    assert [each.result(timeout=20) for each in beside] == [n + 2 for n in range(HEALTHY)] * 2
    assert len(run.attempts()) == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("handler", "says"),
    [(handlers.segfaults, "killed by SIGSEGV"), (handlers.leaves, "exited with 3")],
)
def test_a_handler_that_kills_its_own_process_is_quarantined(
    app: App, serve: Serve, handler: Callable[[], None], says: str
) -> None:
    bad = app.job(isolation="process", retries=50, max_crashes=2)(handler)
    good = app.job(isolation="process", name="good")(handlers.add)
    serve()
    run = bad.submit()
    beside = good.submit_many(range(HEALTHY))
    ended = run.wait(timeout=30)

    assert ended.state is State.FAILED
    assert ended.reason is not None
    assert ended.reason.startswith("quarantined: the process of the handler ")
    assert f"{says} while it ran alone, 2 times" in ended.reason
    kinds = [each.kind for each in run.attempts()]
    # The first may have been in a process that others had used, which proves nothing.
    assert kinds in (["crash"] * 2, ["lost", "crash", "crash"])
    assert [each.result(timeout=20) for each in beside] == [n + 2 for n in range(HEALTHY)]


def _lose(store: Store, job: str) -> None:
    """A worker claims a run of the job, and is gone."""
    dead = given_worker(store)
    claim_some(store, dead, jobs=(job,))
    store.write(lambda tx: retire(tx, dead))
    reap_some(store)


@pytest.mark.parametrize(
    ("max_losses", "losses", "state"),
    [(2, 2, State.FAILED), (2, 1, State.SUCCESS), (0, 12, State.SUCCESS)],
)
def test_a_function_that_cannot_be_tried_alone_bears_as_many_losses_as_its_job_says(
    app: App, serve: Serve, max_losses: int, losses: int, state: State
) -> None:
    @app.job(max_losses=max_losses)
    def inside() -> None:
        """Is no function of a module."""

    run = inside.submit()
    for _ in range(losses):
        _lose(app.store, "inside")
    serve()

    eventually(lambda: run.state is state)
    is_over = state is State.FAILED
    assert ("cannot be tried alone" in (run.show().reason or "")) is is_over


def test_a_handler_that_forks_has_one_outcome(app: App, serve: Serve, store_url: str) -> None:
    bad = app.job(handlers.forks)
    good = app.job(handlers.add)
    serve()
    run = bad.submit()
    beside = good.submit_many(range(HEALTHY))

    child = run.result(timeout=20)

    assert child not in (0, os.getpid())
    assert [each.result(timeout=20) for each in beside] == [n + 2 for n in range(HEALTHY)]
    assert run_sql(store_url, "select count(*) from rota.run_history") == [(HEALTHY + 1,)]


def test_arguments_that_are_too_large_are_refused_and_nothing_is_stored(
    app: App, serve: Serve, store_url: str
) -> None:
    @app.job
    def echo(text: str) -> int:
        return len(text)

    serve()
    with pytest.raises(PayloadTooLarge):
        echo.submit("x" * 5_000_000)
    with pytest.raises(PayloadTooLarge):
        echo.submit_many(["fine", "x" * 5_000_000])

    assert echo.submit("ok").result(timeout=10) == 2
    assert run_sql(store_url, "select count(*) from rota.run_history") == [(1,)]
    assert run_sql(store_url, "select count(*) from rota.run") == [(0,)]


@BOTH_SOURCES
def test_a_run_that_cannot_begin_fails_and_hurts_none_that_was_claimed_with_it(
    app: App, serve: Serve, store_url: str
) -> None:
    """Its policy is one that a later version wrote, for instance."""
    job = app.job(retries=0)(handlers.add)
    first, bad, last = job.submit_many(range(3))
    policy = '{"timeout_ms":"soon"}'
    run_sql(store_url, f"update rota.run set policy = '{policy}' where id = '{bad.id}'")
    serve()

    ended = bad.wait(timeout=20)
    assert ended.state is State.FAILED
    assert ended.reason is not None
    assert [first.result(timeout=20), last.result(timeout=20)] == [2, 4]
