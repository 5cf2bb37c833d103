"""Results that are used again, with a real worker on both stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rota import App
from rota.clock import elapsed_s
from rota.model.values.artifact import LARGE
from tests.integration.conftest import Serve

LIMIT = 60
LENGTH = 40
"""Of a chain: more than the rounds of one claim."""


def count(path: Path) -> int:
    return len(path.read_text()) if path.exists() else 0


def test_a_job_runs_once_for_the_same_arguments(app: App, serve: Serve, tmp_path: Path) -> None:
    done = tmp_path / "done"

    @app.job(cache="1h")
    def double(n: int) -> int:
        with done.open("a") as file:
            file.write(".")
        return 2 * n

    serve()
    first = double.submit(4)
    assert first.result(timeout=LIMIT) == 8
    second, other = double.submit(4), double.submit(5)

    assert second.result(timeout=LIMIT) == 8
    assert other.result(timeout=LIMIT) == 10
    assert count(done) == 2
    assert second.show().reason == f"cached from {first.id}"
    assert double.with_options(cache=False).submit(4).result(timeout=LIMIT) == 8
    assert second.rerun().result(timeout=LIMIT) == 8
    assert count(done) == 4


def test_a_chain_of_known_results_goes_by_in_no_time(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    done = tmp_path / "done"

    @app.job
    def step(n: int) -> int:
        with done.open("a") as file:
            file.write(".")
        return n + 1

    @app.graph
    def chain(n: int) -> Any:
        for _ in range(LENGTH):
            n = step.node(cache="1h")(n)
        return n

    serve(poll_ms=60_000)
    assert chain.submit(0).result(timeout=LIMIT) == LENGTH
    assert count(done) == LENGTH

    before_s = elapsed_s()
    again = chain.submit(0)
    assert again.result(timeout=LIMIT) == LENGTH

    assert elapsed_s() - before_s < 30  # no poll was waited for
    assert count(done) == LENGTH
    assert all(view.cached_from for view in again.nodes())
    fresh = chain.with_options(cache=False).submit(0)
    assert fresh.result(timeout=LIMIT) == LENGTH
    assert count(done) == 2 * LENGTH


def test_a_known_result_may_be_large_and_so_may_its_arguments(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    done = tmp_path / "done"

    @app.job
    def text(size: int) -> str:
        return "x" * size

    @app.job(cache="1h")
    def twice(of: str) -> str:
        with done.open("a") as file:
            file.write(".")
        return of + of

    @app.graph
    def flow(size: int) -> Any:
        return twice(text(size))

    serve()
    for _ in range(2):
        assert flow.submit(LARGE).result(timeout=LIMIT) == "x" * (2 * LARGE)
        assert twice.submit("y" * LARGE).result(timeout=LIMIT) == "y" * (2 * LARGE)

    assert count(done) == 2


def test_a_mapped_node_does_only_what_is_new(app: App, serve: Serve, tmp_path: Path) -> None:
    done = tmp_path / "done"

    @app.job(cache="1h")
    def square(n: int) -> int:
        with done.open("a") as file:
            file.write(".")
        return n * n

    @app.graph
    def squares(numbers: list[int]) -> Any:
        return square.map(numbers)

    serve()
    assert squares.submit([1, 2, 3]).result(timeout=LIMIT) == [1, 4, 9]
    assert squares.submit([1, 2, 3, 4]).result(timeout=LIMIT) == [1, 4, 9, 16]

    assert count(done) == 4
