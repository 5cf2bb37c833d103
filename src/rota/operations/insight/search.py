"""Search: one text, in runs, jobs, schedules and log lines."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.engine.insight.search import search
from rota.errors import BadInput
from rota.model.insight.search import SearchResults
from rota.operations.caller import Caller
from rota.operations.operation import reads
from rota.store.base import Tx

LONGEST = 200
Limit = Annotated[int, msgspec.Meta(ge=1, le=50)]


@reads("/search")
def search_all(tx: Tx, caller: Caller, *, q: str, limit: Limit = 20) -> SearchResults:
    """Find runs, jobs, schedules and lines.

    Runs by the beginning or end of an id, by key, state or job; jobs by a part of their name;
    schedules by a part of theirs or of their job's; lines of the last week by their words.
    """
    text = q.strip()
    if not 0 < len(text) <= LONGEST:
        raise BadInput(f"q: give 1 to {LONGEST} characters to search for")
    at = {"namespace": caller.namespace}
    return search(tx, text, credential=caller.credential, limit=limit, **at)
