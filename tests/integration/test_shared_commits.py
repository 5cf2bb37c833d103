"""SQLite: a commit that a worker leads for others brings it what they submit."""

from __future__ import annotations

from threading import Thread

from rota import App
from rota.store.sqlite.store import SqliteStore
from tests.support.calls import eventually

LIMIT = 20


def test_a_submit_that_shares_the_commit_of_a_claim_is_not_overlooked(sqlite_url: str) -> None:
    with App(sqlite_url) as app:

        @app.job
        def work(n: int) -> int:
            return n

        @app.graph
        def flow(n: int) -> int:
            return work(n)

        # Nothing else may make it look: neither a poll nor a lease that ran out.
        worker = app.worker(slots=4, chores=False, poll_ms=600_000, lease_ms=600_000)
        worker.start()
        worker._heartbeat.stop()  # its commits would share in, too
        try:
            assert flow.submit(1).result(timeout=LIMIT) == 1
            store = app.store
            assert isinstance(store, SqliteStore)
            waiting = store._commit._waiting
            answers: list[int] = []

            def submit() -> None:
                answers.append(flow.submit(2).result(timeout=LIMIT))

            with store._writing:
                first = Thread(target=lambda: store.write(lambda tx: tx.one("now")))
                first.start()
                eventually(lambda: store._commit._leading and not waiting)
                worker._courier.look()
                eventually(lambda: len(waiting) == 1)
                second = Thread(target=submit)
                second.start()
                eventually(lambda: len(waiting) == 2)
            first.join()
            second.join()

            assert answers == [2]
        finally:
            worker.hurry()
            worker.stop()
