"""What a write has answered survives kill -9, on both databases, in the middle of a crowd."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from rota.engine.runs import find as inspect
from rota.model.states import State
from rota.store.open import open_store
from tests.contract.builders import HOME, claim_some, given_worker, run_sql

# Says each id after `write` has returned; the reader kills it in full flight.
SUBMIT = """
import sys, threading
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.runs.run import NewRun
from rota.store.open import open_store

store = open_store(sys.argv[1])
told = threading.Lock()

def go():
    while True:
        run = NewRun(id=new_id(), job="noop", version=1)
        store.write(lambda tx: submit(tx, [run], namespace="default"))
        with told:
            sys.stdout.write(run.id + "\\n")
            sys.stdout.flush()

threads = [threading.Thread(target=go) for _ in range(4)]
for thread in threads:
    thread.start()
"""


@pytest.mark.chaos
def test_a_committed_write_survives_kill_9(store_url: str) -> None:
    open_store(store_url).close()
    acknowledged: list[str] = []
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", SUBMIT, store_url], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().strip() for _ in range(60)]
        process.kill()
        rest, _ = process.communicate(timeout=30)
        # The last line may be cut in the middle.
        acknowledged += [line for line in rest.split("\n")[:-1] if line]
        assert process.returncode == -signal.SIGKILL

    store = open_store(store_url)
    worker = given_worker(store)
    counts = store.read(lambda tx: inspect.counts(tx, namespace=HOME))
    there = {lease.run_id for lease in claim_some(store, worker, limit=counts[State.QUEUED])}
    store.close()

    assert len(acknowledged) >= 180
    assert set(acknowledged) <= there


def test_a_sqlite_store_writes_through_to_the_disk(sqlite_url: str) -> None:
    store = open_store(sqlite_url)

    # 2 is FULL: the WAL is synced at each commit, not only at checkpoints.
    synchronous = store._writer.pragma("synchronous")  # type: ignore[union-attr]  # SQLite's own
    store.close()

    assert synchronous == 2
    assert run_sql(sqlite_url, "pragma journal_mode") == [("wal",)]
    assert run_sql(sqlite_url, "pragma integrity_check") == [("ok",)]
