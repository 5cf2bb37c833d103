"""Lines of all runs, found by their words."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import get
from litestar.params import FromQuery, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.runs.documents import LogDocument, log_document
from rota.api.server.request import ApiRequest
from rota.engine.insight.search import reached_lines
from rota.engine.logs import search
from rota.engine.runs.find import now_ms
from rota.errors import BadInput
from rota.model.log import Level, LogLine
from rota.model.view import Page
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

LONGEST = 200
MOST = 10_000
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


class FoundLine(LogDocument, kw_only=True):
    """A line, and whose it is."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")


@get("/logs", **needs("viewer"))
async def search_logs(  # one filter each, all named
    request: ApiRequest,
    *,
    q: FromQuery[str],
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    since: FromQuery[str | None] = None,
    level: FromQuery[Level] = "debug",
    limit: Limit = 100,
) -> Page[FoundLine]:
    """Lines that hold all words of `q`, the newest first.

    `since` is how far to look back, such as `1h`; `level` the least that counts.
    """
    if not 0 < len(q) <= LONGEST:
        raise BadInput(f"q: give 1 to {LONGEST} characters to search for")
    ago_ms = None if since is None else parse_duration(since)

    def look(tx: Tx) -> list[LogLine]:
        lines = search(
            tx,
            q,
            namespace=request.namespace,
            job=job,
            since=0 if ago_ms is None else now_ms(tx) - ago_ms,
            level=level,
            limit=limit,
        )
        if request.credential.queues is None:
            return lines
        return reached_lines(
            tx, lines, namespace=request.namespace, reaches=request.credential.reaches
        )

    return Page(items=[_document(each) for each in await request.read(look)])


def _document(line: LogLine) -> FoundLine:
    facts = msgspec.structs.asdict(log_document(line))
    return FoundLine(run_id=line.run_id, job=line.job, **facts)


ROUTES = (search_logs,)
