"""Breakers as a hold: queued runs of a job whose breaker is open are not claimed.

The claim statements check this themselves (`claim_runs`); `engine/failures/breakers` opens and
closes breakers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rota.engine.admission.hold import ActiveHold
from rota.engine.failures.breakers.control import breakers, held_jobs
from rota.engine.jobs.definitions import current_specs
from rota.model.admission.queue import QueueLimit
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.store.base import Tx


class OpenBreakers(ActiveHold):
    """The jobs of a namespace that are held back, each with the id of its probe."""

    def __init__(self, probes: Mapping[str, str | None]) -> None:
        self._held = probes

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        del queue
        if job not in self._held:
            return []
        says = f"the breaker of job {job} is open; see `rota breakers`"
        return [Reason(kind="held", says=says)]

    def is_of_job(self, *, job: str, queue: str) -> bool:
        del queue
        return job in self._held

    def marks(self, run: RunView) -> bool:
        """Whether the run is queued and held. The probe of the breaker is not."""
        is_queued = run.state is State.QUEUED
        return is_queued and run.job in self._held and self._held[run.job] != run.id


def open_breakers(tx: Tx, namespace: str) -> OpenBreakers | None:
    held_back = held_jobs(tx, namespace=namespace)
    return OpenBreakers(held_back) if held_back else None


def breaker_limits(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    """Yield the breakers of the jobs whose queue this is."""
    views = breakers(tx, namespace=namespace)
    specs = current_specs(tx, {each.job for each in views}, namespace=namespace)
    for each in views:
        if each.job not in specs or specs[each.job][1].queue != queue:
            continue
        if each.state == "closed":
            says = f"job {each.job} is held back when too many attempts fail ({each.rule})"
            yield QueueLimit(kind="breaker", says=says)
        else:
            is_paused = f"job {each.job} is paused"
            says = is_paused if each.stays else f"the breaker of job {each.job} is open"
            yield QueueLimit(kind="breaker", says=says, used=each.held, stops=True)
