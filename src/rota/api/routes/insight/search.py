"""Search: one text, asked of runs, jobs, schedules and lines."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get
from litestar.params import FromQuery, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.server.documents import Document, Moment, then, when
from rota.api.server.request import ApiRequest
from rota.engine.insight.search import search
from rota.engine.schedules.views import ScheduleState
from rota.errors import BadInput
from rota.model.jobs.job import JobKind
from rota.operations.jobs.job_views import kind_of

LONGEST = 200
Limit = Annotated[int, QueryParameter(ge=1, le=50)]


class RunFound(Document):
    """A run; its page has the rest."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    status: str
    queue: str
    key: str | None
    created_at: Moment
    finished_at: Moment | None


class JobFound(Document):
    """A job."""

    job: str = msgspec.field(name="jobId")
    kind: JobKind
    queue: str
    version: int


class ScheduleFound(Document):
    """A schedule."""

    name: str
    job: str
    state: ScheduleState


class LineFound(Document):
    """A line that holds all words of the text."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    at: Moment
    level: str
    text: str


class FoundDocument(Document):
    """What the text may mean."""

    runs: list[RunFound]
    jobs: list[JobFound]
    schedules: list[ScheduleFound]
    logs: list[LineFound]


@get("/search", **needs("viewer"))
async def search_all(request: ApiRequest, q: FromQuery[str], limit: Limit = 20) -> FoundDocument:
    """Find runs, jobs, schedules and lines.

    Runs by the beginning of an id, by key, state or job; jobs by a part of their name; schedules by
    a part of theirs or of their job's; lines of the last week by their words.
    """
    text = q.strip()
    if not 0 < len(text) <= LONGEST:
        raise BadInput(f"q: give 1 to {LONGEST} characters to search for")
    found = await request.read(
        lambda tx: search(
            tx,
            text,
            namespace=request.namespace,
            credential=request.credential,
            limit=limit,
        )
    )
    return FoundDocument(
        runs=[
            RunFound(
                run_id=each.id,
                job=each.job,
                status=str(each.state),
                queue=each.queue,
                key=each.key,
                created_at=then(each.created_at),
                finished_at=when(each.finished_at),
            )
            for each in found.runs
        ],
        jobs=[
            JobFound(
                job=each.name,
                kind=kind_of(each.spec),
                queue=each.spec.queue,
                version=each.version,
            )
            for each in found.jobs
        ],
        schedules=[
            ScheduleFound(name=each.name, job=each.job, state=each.state)
            for each in found.schedules
        ],
        logs=[
            LineFound(
                run_id=each.run_id, job=each.job, at=then(each.at), level=each.level, text=each.text
            )
            for each in found.lines
        ],
    )


ROUTES = (search_all,)
