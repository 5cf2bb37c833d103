"""The submits of the demo, and the endings that are expected of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from rota.app import App, Run
from rota.cli.demo import jobs, shop
from rota.clock import to_datetime
from rota.engine.runs.find import now_ms
from rota.model.states import State
from rota.operations.admission.queues import pause_queue

BURST = 5000
BURST_QUEUE = "images"
"""The queue of the burst, which holds nothing else."""
RESTING = "newsletter"


class Example(NamedTuple):
    """A run that the demo watches by name."""

    title: str
    run: Run[Any]
    expected: State = State.SUCCESS


class DemoPlan(NamedTuple):
    """Everything that the demo has submitted."""

    started_ms: int
    examples: tuple[Example, ...]
    burst: int


def submit_all(app: App, *, burst: int = BURST) -> DemoPlan:
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
        Example("graph with a branch and a map", shop.fulfil.submit(today)),
        Example("graph whose map fails", shop.fulfil.submit(today, fragile="Rome"), State.FAILED),
    )
    _submit_more(app)
    jobs.thumbnail.submit_many((f"photo-{number}.jpg",) for number in range(burst))
    return DemoPlan(started_ms, examples, burst)


def _submit_more(app: App) -> None:
    """Submit more runs that nothing waits for, to fill the pages."""
    note = "The printer is out of paper; Ada brings some at nine."
    app.backend.acting_as("demo").call(pause_queue, RESTING, note=note)
    shop.send_newsletter.submit(12)
    for warehouse in ("south", "east"):
        jobs.sync_stock.submit(warehouse)
    jobs.send_report.after("20m").submit("tomorrow")
