"""Handlers with effects, importable by name from any process; the table is `deed`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from pathlib import Path
from typing import Any

from rota import App, Transaction, checkpoint, current_run, last_checkpoint
from rota.errors import Cancelled, Retry, TimedOut
from tests.contract.builders import run_sql
from tests.support.trace_handlers import leave_trace, traces

TABLE = "create table deed (run_id text not null, fence int not null, number int not null)"


def make_table(url: str) -> None:
    run_sql(url, TABLE)


def deeds(url: str) -> list[tuple[str, int, int]]:
    rows = run_sql(url, "select run_id, fence, number from deed order by run_id, fence")
    return [(run, fence, number) for run, fence, number in rows]


def write(tx: Transaction, number: int) -> int:
    """Insert a row that names its writer; return the result of the run."""
    run = current_run()
    # Each driver has marks of its own; all three are our own numbers and ids.
    values = f"'{run.id}', {run.fence}, {number}"
    tx.execute(f"insert into deed (run_id, fence, number) values ({values})")
    return number


def pay(number: int) -> None:
    current_run().commit(lambda tx: write(tx, number))


async def pay_async(number: int) -> None:
    await current_run().commit_async(lambda tx: write(tx, number))


def pay_and_fail(number: int) -> None:
    current_run().commit(lambda tx: write(tx, number))
    raise ValueError("too late")


def pay_slowly(number: int, slow_s: float) -> None:
    """Wait inside the transaction, as no handler should; make a file when inside."""

    def apply(tx: Transaction) -> int:
        write(tx, number)
        time.sleep(slow_s)
        return number

    current_run().commit(apply)


def pay_behind(trail: str, gate: str) -> int:
    """Wait inside the transaction, in the first attempt, for the gate or for death."""

    def apply(tx: Transaction) -> int:
        write(tx, current_run().attempt)
        leave_trace(trail, "inside")
        while current_run().attempt == 1 and not Path(gate).exists():
            time.sleep(0.005)
        return current_run().attempt

    attempt: int = current_run().commit(apply)
    return attempt


def pay_deafly(trail: str, gate: str) -> int:
    """Compute until the gate opens, ignoring stops, and commit then."""
    leave_trace(trail, "began")
    left: list[str] = []
    try:
        # The stop may land anywhere in the loop, so all of it is deaf.
        is_open = False
        while not is_open:
            with contextlib.suppress(Cancelled, TimedOut):
                time.sleep(0.005)
                is_open = Path(gate).exists()
        current_run().commit(lambda tx: write(tx, 1))
    finally:
        try:
            leave_deafly(trail, "tried", left)
        except (Cancelled, TimedOut):  # it landed on the way in or out; it is sent once
            leave_deafly(trail, "tried", left)
    return 1


def leave_deafly(trail: str, event: str, left: list[str]) -> None:
    """Leave exactly one trace, whenever the stop lands inside; `left` has the traces so far."""
    while event not in left:
        with contextlib.suppress(Cancelled, TimedOut), current_run().call.shielded():
            leave_trace(trail, event)
            left.append(event)


def climb(trail: str, top: int) -> int:
    """Do ten steps with a checkpoint after each; the first attempt kills its process half way."""
    for step in range(last_checkpoint(int) or 0, top):
        leave_trace(trail, f"step{step}")
        checkpoint(step + 1)
        if step == top // 2 and current_run().attempt == 1:
            signal.raise_signal(signal.SIGKILL)
    return top


def climb_and_retry(top: int) -> list[int]:
    """Do the steps of `climb` with an error, not a death; return those of the last attempt."""
    start = last_checkpoint(int) or 0
    for step in range(start, top):
        checkpoint(step + 1)
        if step == top // 2 and current_run().attempt == 1:
            raise Retry
    return [start, top]


async def climb_async(top: int) -> list[int]:
    start = await asyncio.to_thread(last_checkpoint, int) or 0
    for step in range(start, top):
        await asyncio.to_thread(checkpoint, step + 1)
        if step == top // 2 and current_run().attempt == 1:
            raise Retry
    return [start, top]


def charge(trail: str, policy: str) -> Any:
    """Die in the first attempt, after the call outside and before its result is kept."""

    def look_up(key: str) -> int | None:
        return len(traces(Path(trail), key)) or None

    in_doubt: Any = look_up if policy == "lookup" else policy
    with current_run().once("charge", in_doubt=in_doubt) as effect:
        if not effect.is_done:
            leave_trace(trail, "called")
            leave_trace(trail, effect.idempotency_key)
            if current_run().attempt == 1:
                signal.raise_signal(signal.SIGKILL)
            effect.result = "charged"
    return effect.result


def charge_and_fail(trail: str) -> Any:
    """Make the call once, whatever happens after it."""
    with current_run().once("charge") as effect:
        if not effect.is_done:
            leave_trace(trail, "called")
            effect.result = {"attempt": current_run().attempt}
    if current_run().attempt < 3:
        raise Retry
    return effect.result


def add_jobs(app: App) -> None:
    """Add all handlers as jobs of the app."""
    app.job(pay)
    app.job(pay_async)
    app.job(name="pay_apart", isolation="process")(pay)
    app.job(retries=5)(pay_and_fail)
    app.job(pay_slowly)
    app.job(pay_behind)
    app.job(pay_deafly)
    app.job(climb)
    app.job(climb_and_retry)
    app.job(climb_async)
    app.job(name="climb_apart", isolation="process")(climb_and_retry)
    app.job(charge)
    app.job(charge_and_fail)
