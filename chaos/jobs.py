"""The jobs of a chaos run; rows and lines record the work of each handler.

The folder of the run and the address of the second database come from the environment.
"""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

import psycopg

from rota import App, Transaction, current_run, once_in
from rota.store.postgres.connections.connector import DEFAULTS

FOLDER = "ROTA_CHAOS_FOLDER"
OTHER = "ROTA_CHAOS_OTHER"
STARTS = "starts.log"
SESSION = "chaos-"
"""The prefix of session names of our processes; the process number follows."""
LIMITS = {"effect": 20, "slow": 20, "receipt": 20, "flaky": 3, "once": 0}
"""The retries of each job."""
DELAY_MS = 300
"""The exact delay between two attempts: without jitter, so that the checker knows it."""

TABLES = "create table chaos_effect (run_id uuid not null, fence bigint not null, number bigint)"
"""The tables of both databases. They have no key on purpose, so that a second row is possible."""
_INSERT = "insert into chaos_effect (run_id, fence, number) values (%s, %s, %s)"


def _name_sessions() -> None:
    """Name sessions after their process: this one, or a child that carries out a run."""
    DEFAULTS["application_name"] = f"{SESSION}{os.getpid()}"


if FOLDER in os.environ:  # not where a test only looks at these jobs: others are there as well
    _name_sessions()
    os.register_at_fork(after_in_child=_name_sessions)
app = App()


def work_s(number: int) -> float:
    """Return the duration of a handler: most are short, some last long enough to be killed."""
    return 0.3 if number % 5 == 3 else 0.004 * (number % 5)


@cache
def _starts() -> int:
    path = Path(os.environ[FOLDER], STARTS)
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def note_start(*, durable: bool = False) -> None:
    """Write a line that the handler began, before it does anything else."""
    run = current_run()
    os.write(_starts(), f"{run.id} {run.fence} {run.attempt}\n".encode())
    if durable:
        os.fsync(_starts())


def _commit(number: int) -> int:
    run = current_run()

    def apply(tx: Transaction) -> None:
        tx.execute(_INSERT, (run.id, run.fence, number))

    run.commit(apply, result=number)
    return number


@app.job(retries=LIMITS["effect"], backoff="fixed", retry_delay="300ms", jitter=0)
def effect(number: int) -> int:
    """Write a row that commits with the end of the run."""
    note_start()
    time.sleep(work_s(number))
    return _commit(number)


@app.job(retries=LIMITS["slow"], backoff="fixed", retry_delay="300ms", jitter=0)
def slow(number: int) -> int:
    """Write a row that commits with the end of the run, slowly enough to be cancelled midway."""
    note_start()
    time.sleep(0.3)
    return _commit(number)


@app.job(retries=LIMITS["receipt"], backoff="fixed", retry_delay="300ms", jitter=0)
def receipt(number: int) -> int:
    """Write a row in another database, guarded by a receipt there."""
    note_start()
    run = current_run()
    with psycopg.connect(os.environ[OTHER], connect_timeout=5) as connection:
        with once_in(connection, step="book") as step:
            if step.first:
                connection.execute(_INSERT, (run.id, run.fence, number))
                step.result = number
        time.sleep(work_s(number))
    return int(step.result)


@app.job(retries=LIMITS["flaky"], backoff="fixed", retry_delay="300ms", jitter=0)
def flaky(number: int, failures: int) -> int:
    """Fail the first attempts, `failures` of them."""
    note_start()
    time.sleep(work_s(number))
    if current_run().attempt <= failures:
        raise ValueError("this attempt was meant to fail")
    return number


@app.job(delivery="at_most_once")
def once(number: int) -> int:
    """Write that the handler began, which must not happen twice."""
    note_start(durable=True)
    time.sleep(work_s(number))
    return number
