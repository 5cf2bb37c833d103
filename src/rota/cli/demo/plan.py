"""What the demo asks for, and what must come of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from rota.app import App, Run
from rota.cli.demo import jobs
from rota.clock import to_datetime
from rota.engine.inspect import now_ms
from rota.model.states import State

BURST = 5000


class Example(NamedTuple):
    """One run that is watched by name."""

    title: str
    run: Run[Any]
    expected: State = State.SUCCESS


class Plan(NamedTuple):
    """Everything the demo has submitted."""

    started_ms: int
    examples: tuple[Example, ...]
    burst: int


def submit_all(app: App, *, burst: int = BURST) -> Plan:
    """Submit the examples, then the burst in one transaction."""
    started_ms = app.store.read(now_ms)
    today = to_datetime(started_ms).date().isoformat()
    examples = (
        Example("delayed by 3 s", jobs.send_report.after("3s").submit(today)),
        Example("fails twice, then works", jobs.charge.submit(order=17)),
        Example("runs out of retries", jobs.sync_stock.submit("north"), State.FAILED),
        Example("shell command", jobs.disk_report.submit(folder="/")),
        Example("async function", jobs.notify.submit(user=42)),
        Example("reports progress", jobs.import_orders.submit(60)),
    )
    jobs.thumbnail.submit_many((f"photo-{number}.jpg",) for number in range(burst))
    return Plan(started_ms, examples, burst)
