"""Submits and results for `await`: no loop is blocked, no thread for each caller, nothing leaks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from rota import App, DuplicateKey, Job, RunFailed, RunNotFinished, State
from rota.client import Client
from rota.errors import BadArguments, StoreUnavailable, UnknownRun
from rota.ids import new_id
from tests.api.serving import serving
from tests.integration.conftest import Serve
from tests.support.calls import eventually

CROWD = 1000
LIMIT = 60
run_loop = pytest.mark.parametrize("loop", [asyncio.run, uvloop.run])

Loop = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def double(app: App) -> Job[[int], int]:
    @app.job(retries=0)
    def double(n: int) -> int:
        if n < 0:
            raise ValueError(f"no {n}")
        return 2 * n

    return double


def threads_named(prefix: str) -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith(prefix)]


def count_writes(app: App, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One entry for each transaction from now on."""
    made: list[None] = []
    write: Any = app.store.write

    def counted(work: Any, **options: Any) -> Any:
        made.append(None)
        return write(work, **options)

    monkeypatch.setattr(app.store, "write", counted)
    return made


@run_loop
def test_a_run_is_submitted_and_its_result_awaited(
    app: App, serve: Serve, double: Job[[int], int], loop: Loop
) -> None:
    serve()

    async def main() -> list[int]:
        run = await double.submit_async(4)
        some = await double.submit_many_async([5, (6,), {"n": 7}])
        fast = await double.with_options(priority="high").submit_async(8)
        assert (await run.wait_async(LIMIT)).state is State.SUCCESS
        return [await each.result_async(LIMIT) for each in (run, *some, fast)]

    assert loop(main()) == [8, 10, 12, 14, 16]


def test_a_graph_and_its_nodes_are_awaited_too(app: App, serve: Serve) -> None:
    @app.job
    def add(a: int, b: int) -> int:
        return a + b

    @app.graph
    def sums(a: int) -> int:
        return add(add(a, 1), 1)

    serve()

    async def main() -> tuple[int, State]:
        run = await sums.submit_async(1)
        (second,) = await sums.submit_many_async([5])
        assert await second.result_async(LIMIT) == 7
        node = next(each for each in app.runs() if each.job == "add")
        return await run.result_async(LIMIT), (await app.run(node.id).wait_async(LIMIT)).state

    assert asyncio.run(main()) == (3, State.SUCCESS)


def test_a_crowd_of_submits_shares_a_few_commits(
    app: App, double: Job[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.define([double])
    writes = count_writes(app, monkeypatch)

    async def main() -> set[str]:
        runs = await asyncio.gather(*(double.submit_async(n) for n in range(CROWD)))
        return {run.id for run in runs}

    assert len(asyncio.run(main())) == CROWD
    assert len(writes) <= 20
    assert len(app.runs(limit=CROWD + 1)) == CROWD


def test_a_crowd_of_results_needs_one_thread(
    app: App, serve: Serve, double: Job[[int], int]
) -> None:
    most = 0

    async def main() -> list[int]:
        nonlocal most
        runs = await double.submit_many_async(range(CROWD))
        results = [asyncio.create_task(run.result_async(LIMIT)) for run in runs]
        await asyncio.sleep(0)
        serve(slots=8)
        while not all(each.done() for each in results):
            most = max(most, len(threads_named("rota-ends") + threads_named("rota-app")))
            await asyncio.sleep(0.01)
        return [each.result() for each in results]

    assert asyncio.run(main()) == [2 * n for n in range(CROWD)]
    assert 1 <= most <= 9
    eventually(lambda: not threads_named("rota-ends"))


def test_the_loop_goes_on_while_the_store_is_busy(
    app: App, double: Job[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.define([double])
    free = threading.Event()
    write: Any = app.store.write

    def held(work: Any, **options: Any) -> Any:
        assert free.wait(LIMIT)
        return write(work, **options)

    monkeypatch.setattr(app.store, "write", held)

    async def main() -> State:
        submit = asyncio.create_task(double.submit_async(1))
        try:
            for _ in range(100):
                await asyncio.sleep(0)
            assert not submit.done()
        finally:
            free.set()
        return (await submit).state

    assert asyncio.run(main()) is State.QUEUED


def test_a_submit_cancelled_before_its_commit_leaves_no_run(
    app: App, double: Job[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.define([double])
    entered, free = threading.Event(), threading.Event()
    write: Any = app.store.write

    def held(work: Any, **options: Any) -> Any:
        entered.set()
        assert free.wait(LIMIT)
        return write(work, **options)

    monkeypatch.setattr(app.store, "write", held)

    async def main() -> None:
        first = asyncio.create_task(double.submit_async(1))
        await asyncio.to_thread(entered.wait, LIMIT)
        second = asyncio.create_task(double.submit_async(2))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        free.set()
        await first
        await double.submit_async(3)

    asyncio.run(main())

    assert sorted(run.args for run in app.runs()) == ['{"n":1}', '{"n":3}']


def test_a_wait_that_is_cancelled_leaves_nothing_behind(app: App, double: Job[[int], int]) -> None:
    async def main() -> None:
        run = await double.submit_async(1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await run.result_async()
        with pytest.raises(RunNotFinished, match=r"still queued after 0\.05 s"):
            await run.wait_async(timeout="50ms")
        with pytest.raises(RunNotFinished):
            await run.wait_async(timeout=0)

    asyncio.run(main())

    eventually(lambda: not threads_named("rota-ends"))
    assert app.end_watch._awaited == []


def test_what_is_wrong_is_raised_where_it_is_awaited(
    app: App, serve: Serve, double: Job[[int], int]
) -> None:
    serve()

    async def main() -> None:
        with pytest.raises(BadArguments):
            await double.submit_async("x")  # type: ignore[arg-type]  # that it is wrong is the point
        with pytest.raises(RunFailed, match="no -1"):
            await (await double.submit_async(-1)).result_async(LIMIT)
        for unknown in (new_id(), "nonsense"):
            with pytest.raises(UnknownRun):
                await app.run(unknown).result_async(LIMIT)
        await double.with_options(key="k").submit_async(1)
        with pytest.raises(DuplicateKey):
            await double.with_options(key="k").submit_async(2)

    asyncio.run(main())


def test_loops_in_several_threads_share_one_app(
    app: App, serve: Serve, double: Job[[int], int]
) -> None:
    serve()
    results: list[int] = []

    def loop(n: int) -> None:
        async def main() -> int:
            return await (await double.submit_async(n)).result_async(LIMIT)

        results.append(asyncio.run(main()))

    threads = [threading.Thread(target=loop, args=(n,)) for n in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sorted(results) == [0, 2, 4, 6, 8]


def test_an_app_that_closes_refuses_whoever_still_waits(app: App, double: Job[[int], int]) -> None:
    async def main() -> None:
        run = await double.submit_async(1)
        wait = asyncio.create_task(run.wait_async())
        await asyncio.sleep(0)
        assert app.end_watch._awaited
        app.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            await wait
        assert run.state is State.QUEUED

    asyncio.run(main())


def test_a_client_awaits_more_runs_than_it_has_threads(
    app: App, serve: Serve, double: Job[[int], int]
) -> None:
    app.define([double])
    with (
        serving(app.url) as served,
        Client(served.address, token=served.token("operator")) as client,
    ):

        async def main() -> list[int]:
            alone = await client.submit_async("double", 3)
            runs = await client.submit_many_async("double", range(100))
            runs += await asyncio.gather(*(client.submit_async("double", n) for n in range(20)))
            with pytest.raises(RunNotFinished):
                await alone.wait_async("50ms")
            waits = [asyncio.create_task(run.result_async(LIMIT)) for run in (alone, *runs)]
            await asyncio.sleep(0)
            serve()
            with pytest.raises(RunFailed):
                await (await client.submit_async("double", -1)).result_async(LIMIT)
            return [await each for each in waits]

        assert asyncio.run(main()) == [6, *(2 * n for n in range(100)), *(2 * n for n in range(20))]
        assert client.end_polls._awaited == 0
