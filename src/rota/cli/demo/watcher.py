"""Looks at the store while the demo runs: states, throughput, the state of the examples."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from rota.app import App
from rota.cli.demo.plan import BURST_QUEUE, DemoPlan, Example
from rota.clock import elapsed_s
from rota.engine.admission.queues import queues
from rota.engine.runs.find import counts, find
from rota.engine.runs.lists import runs
from rota.engine.schedules.views import schedules
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.store.base import Tx

EVENTS = 6


class DemoLook(NamedTuple):
    """The demo at one moment."""

    at_s: float
    states: dict[State, int]
    views: list[RunView]
    fired: int
    """Runs that schedules have started and that have ended."""
    burst_done: int
    rate: float
    """Runs that ended per second since the look before."""


class Watcher:
    """The difference between two looks, as events."""

    def __init__(self, app: App, plan: DemoPlan, started_s: float) -> None:
        self.plan = plan
        self.events: deque[str] = deque(maxlen=EVENTS)
        self.burst_s: float | None = None
        self._app = app
        self._started_s = started_s
        self._last: DemoLook | None = None
        self._known: dict[str, tuple[State, int]] = {}
        self._fired_before = 0
        self._fired_before = app.store.read(self._fired)

    def look(self) -> DemoLook:
        states, views, fired, live = self._app.store.read(self._read)
        at_s = elapsed_s() - self._started_s
        done = max(0, self.plan.burst - live)
        before = self._last
        rate = (done - before.burst_done) / (at_s - before.at_s) if before else 0.0
        if done == self.plan.burst and self.burst_s is None:
            self.burst_s = at_s
            self._tell(at_s, f"burst: all {done:,} runs done, {done / at_s:,.0f}/s")
        for example, view in zip(self.plan.examples, views, strict=True):
            self._compare(at_s, example, view)
        if fired and not (before and before.fired):
            self._tell(at_s, "look_around (every two seconds): fired by its schedule")
        self._last = DemoLook(at_s, states, views, fired, done, max(0.0, rate))
        return self._last

    def is_over(self, look: DemoLook) -> bool:
        """Whether everything that the plan submitted has ended."""
        return look.burst_done == self.plan.burst and all(v.state in FINAL for v in look.views)

    def surprises(self, look: DemoLook) -> list[str]:
        """Return a line for each example that did not end as the plan expects."""
        wrong = [
            f"{example.title}: {view.state}, expected {example.expected}"
            for example, view in zip(self.plan.examples, look.views, strict=True)
            if view.state is not example.expected
        ]
        if self._app.store.read(self._failed_of_burst):
            wrong.append(f"burst: not all of {self.plan.burst:,} runs succeeded")
        return wrong

    def _failed_of_burst(self, tx: Tx) -> bool:
        return any(
            runs(
                tx,
                namespace=self._app.namespace,
                state=state,
                queue=BURST_QUEUE,
                since=self.plan.started_ms,
                limit=1,
            )
            for state in FINAL - {State.SUCCESS}
        )

    def _fired(self, tx: Tx) -> int:
        views = schedules(tx, namespace=self._app.namespace)
        return sum(each.fired - each.running - each.waiting for each in views) - self._fired_before

    def _read(self, tx: Tx) -> tuple[dict[State, int], list[RunView], int, int]:
        namespace = self._app.namespace
        views = [find(tx, each.run.id, namespace=namespace) for each in self.plan.examples]
        since = counts(tx, namespace=namespace, since=self.plan.started_ms)
        burst = next(
            (each for each in queues(tx, namespace=namespace) if each.name == BURST_QUEUE), None
        )
        live = burst.queued + burst.running + burst.scheduled if burst else 0
        return since, views, self._fired(tx), live

    def _compare(self, at_s: float, example: Example, view: RunView) -> None:
        now = view.state, view.failures
        if self._known.get(view.id) == now:
            return
        self._known[view.id] = now
        match view.state:
            case State.SUCCESS:
                text = f"success: {_first_line(view.result or '')}"
            case State.FAILED:
                text = f"failed for good: {view.reason}"
            case State.SCHEDULED if view.failures and view.error:
                text = f"attempt {view.attempt} failed ({view.error.type}), tried again soon"
            case State.SCHEDULED:
                text = "waits for its time"
            case _:
                return
        self._tell(at_s, f"{view.job} ({example.title}): {text}")

    def _tell(self, at_s: float, text: str) -> None:
        self.events.append(f"{at_s:5.1f} s  {text}")


def _first_line(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004  # one line of a terminal
