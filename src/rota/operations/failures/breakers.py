"""Operations on breakers: list jobs that are held back, hold one back, let one go."""

from __future__ import annotations

from msgspec.structs import replace

from rota.engine.failures.breakers import control
from rota.model.admission.breaker import BreakerChange, BreakerView
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.store.base import Tx


@reads("/breakers")
def list_breakers(tx: Tx, caller: Caller) -> Page[BreakerView]:
    """The breakers of all jobs that have one or are held back by hand, by job."""
    found = control.breakers(tx, namespace=caller.namespace)
    if not caller.sees_all_queues:
        visible = caller.visible_jobs(tx, {each.job for each in found})
        found = [each for each in found if each.job in visible]
    return Page(items=[_offered(each, caller) for each in found])


@changes("POST", "/breakers/{job}/open", verb="open breaker", subject="job")
def open_breaker(tx: Tx, caller: Caller, job: str, *, note: str | None = None) -> BreakerChange:
    """Hold back all runs of a job until somebody closes its breaker; what runs goes on."""
    caller.check_job_is_visible(tx, job)
    tell(tx, caller, note=note or None)
    if not control.open_breaker(tx, job, namespace=caller.namespace, note=note):
        nothing_changed(tx, caller)
    return BreakerChange(job=job, state="open", changed=True)


@changes("POST", "/breakers/{job}/close", verb="close breaker", subject="job")
def close_breaker(tx: Tx, caller: Caller, job: str) -> BreakerChange:
    """Let the runs of a job go, in their old order; its tally starts afresh."""
    caller.check_job_is_visible(tx, job)
    was_held = control.close_breaker(tx, job, namespace=caller.namespace)
    if not was_held:
        nothing_changed(tx, caller)
    return BreakerChange(job=job, state="closed", changed=was_held)


def _offered(breaker: BreakerView, caller: Caller) -> BreakerView:
    return replace(breaker, verbs=caller.may("open" if breaker.state == "closed" else "close"))
