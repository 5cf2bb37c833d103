"""Attempts for tests of executors, and a ledger that collects what an executor reports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from rota.ids import new_id
from rota.model.jobs.spec import CommandTarget, HttpTarget, JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.rules.jobs.signature import Signature
from rota.rules.text.template import placeholders
from rota.runtime.attempts.attempt import Attempt, Ending, Raised, ResolvedJob, Returned

DEADLINE_S = 120.0


class Ledger:
    """Collects what an executor reports about its attempts, and waits for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.begun: list[Attempt] = []
        self.ended: list[tuple[Attempt, Ending]] = []

    def started(self, call: Attempt) -> None:
        with self._changed:
            self.begun.append(call)
            self._changed.notify_all()

    def done(self, call: Attempt, ending: Ending) -> None:
        with self._changed:
            self.ended.append((call, ending))
            self._changed.notify_all()

    def endings(self, call: Attempt) -> list[Ending]:
        with self._changed:
            return [ending for other, ending in self.ended if other is call]

    def wait_started(self, call: Attempt) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: call in self.begun, DEADLINE_S)

    def wait(self, call: Attempt) -> Ending:
        with self._changed:
            found = self._changed.wait_for(
                lambda: any(other is call for other, _ in self.ended), DEADLINE_S
            )
            assert found, "the call did not end"
        return self.endings(call)[0]

    def value(self, call: Attempt) -> Any:
        ending = self.wait(call)
        assert isinstance(ending, Returned), ending
        return msgspec.json.decode(ending.result)

    def raised(self, call: Attempt) -> Raised:
        ending = self.wait(call)
        assert isinstance(ending, Raised), ending
        return ending


def eventually(is_so: Callable[[], object], deadline_s: float = DEADLINE_S) -> None:
    """Wait until the condition is true; fail at the deadline.

    The checks become rarer with time, as most of them query a database.
    """
    begun = time.monotonic()
    while not is_so():
        waited = time.monotonic() - begun
        assert waited < deadline_s, "it did not come to be"
        time.sleep(min(max(waited / 20, 0.002), 0.05))


BACKFILLED = (
    '{"schedule":"nightly","kind":"backfill","scheduledFor":1774748400000,'
    '"intervalStart":1774662000000,"intervalEnd":1774748400000,"zone":"Europe/Paris","backfill":"b1"}'
)
TIMES = {
    "ROTA_SCHEDULE": "nightly",
    "ROTA_STARTED_BY": "backfill",
    "ROTA_BACKFILL": "b1",
    "ROTA_SCHEDULED_FOR": "2026-03-29T03:40:00+02:00",
    "ROTA_SCHEDULED_DAY": "2026-03-29",
    "ROTA_INTERVAL_START": "2026-03-28T02:40:00+01:00",
    "ROTA_INTERVAL_START_DAY": "2026-03-28",
    "ROTA_INTERVAL_END": "2026-03-29T03:40:00+02:00",
    "ROTA_INTERVAL_END_DAY": "2026-03-29",
}
"""The variables that a program gets for a run with that origin."""


def lease(
    args: dict[str, Any],
    *,
    job: str = "job",
    attempt: int = 1,
    fence: int = 7,
    origin: str | None = None,
) -> Lease:
    return Lease(
        run_id=new_id(),
        fence=fence,
        attempt=attempt,
        job=job,
        version=1,
        queue="default",
        args=msgspec.json.encode(args).decode(),
        policy=None,
        failures=0,
        crashes=0,
        at_most_once=False,
        due_at=0,
        claimed_at=0,
        origin=origin,
    )


def call_of(
    fn: Callable[..., Any],
    *,
    timeout_s: float | None = None,
    memory_mb: int | None = None,
    ref: str | None = None,
    **args: Any,
) -> Attempt:
    """Return an attempt of a Python function."""
    target = PythonTarget(ref=ref or f"{fn.__module__}:{fn.__qualname__}")
    spec = JobSpec(name=fn.__name__, target=target, memory_mb=memory_mb)
    work = ResolvedJob(spec=spec, handler=fn, signature=Signature.of(fn))
    return Attempt(lease(args, job=fn.__name__), work, timeout_s)


def command_call(
    *argv: str, args: dict[str, Any] | None = None, origin: str | None = None, **options: Any
) -> Attempt:
    """Return an attempt of a program."""
    spec = JobSpec(name="command", target=CommandTarget(argv=argv, **options))
    texts = (*argv, *options.get("env", {}).values())
    signature = Signature.of_names("command", placeholders(texts))
    own = lease(args or {}, job="command", origin=origin)
    return Attempt(own, ResolvedJob(spec=spec, signature=signature), None)


def http_call(
    url: str, args: dict[str, Any] | None = None, origin: str | None = None, **options: Any
) -> Attempt:
    """Return an attempt of an HTTP request; private addresses are allowed by default."""
    target = HttpTarget(url=url, **{"allow_private": True, **options})
    texts = (target.url, *target.headers.values(), target.body or "")
    work = ResolvedJob(
        spec=JobSpec(name="request", target=target),
        signature=Signature.of_names("request", placeholders(texts)),
    )
    return Attempt(lease(args or {}, job="request", origin=origin), work, None)
