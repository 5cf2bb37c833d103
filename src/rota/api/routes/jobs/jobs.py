"""The start of a job by hand: through the batch of submits, or through its schedule."""

from __future__ import annotations

from litestar import post
from litestar.params import FromPath, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.runs.runs import submit_all
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.schedules.views import schedules
from rota.errors import BadInput, NotAllowed
from rota.model.jobs.job import Triggered
from rota.model.schedules.firing import ScheduleTriggered
from rota.operations.jobs.bodies import TriggerBody
from rota.operations.jobs.visible import visible_job
from rota.operations.paging import MOST
from rota.operations.runs.bodies import SubmitBody
from rota.operations.schedules.firings import trigger_schedule
from rota.store.base import Tx


@post("/jobs/{job_id:str}/trigger", **needs("operator", changes=True))
async def trigger_job(
    request: ApiRequest, job_id: FromPath[str], data: JSONBody[TriggerBody | None] = None
) -> Triggered:
    """Start a job once, now; one with a schedule for the time that `scheduledFor` says."""
    if data is not None and data.scheduled_for is not None:
        return await _start_for(request, named(job_id), data)
    body = SubmitBody(job=named(job_id), args=data.args if data else {})
    answer = await submit_all(request, [body], verb="trigger job")
    return Triggered(run_id=answer.runs[0].id)


async def _start_for(request: ApiRequest, job: str, data: TriggerBody) -> Triggered:
    """Start the job through its schedule, which handles a start between two of its times."""
    caller = request.caller

    def look(tx: Tx) -> list[str]:
        visible_job(tx, caller, job)
        rows = schedules(tx, namespace=caller.namespace, job=job, limit=MOST)
        return [each.name for each in rows]

    names = await request.read(look)
    name = job if job in names else names[0] if len(names) == 1 else None
    if name is None:
        raise BadInput(
            f"scheduledFor: job {job} has {len(names)} schedules; POST "
            "/schedules/NAME/trigger starts one of them for that time"
        )
    started = await request.perform(
        trigger_schedule,
        {"name": name, "args": data.args, "scheduled_for": data.scheduled_for},
        answers=ScheduleTriggered,
    )
    if started.run_id is None:
        raise NotAllowed(f"{job} was not started: its schedule says {started.decision}")
    return Triggered(run_id=started.run_id)


ROUTES = (trigger_job,)
