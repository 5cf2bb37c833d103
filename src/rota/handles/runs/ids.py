"""The id of a run, found by its beginning or its end."""

from __future__ import annotations

from rota.errors import BadInput, UnknownRun
from rota.handles.backend import Backend
from rota.ids import is_id
from rota.model.insight.search import RunFound
from rota.operations.insight.search import search_all

LEAST_CHARS = 6
SHOWN = 5
"""The number of candidates that an error names."""
SHORT = 12
"""Characters of a short id: the last group of a UUIDv7 is random, the first is only the hour."""


def find_run_id(backend: Backend, part: str) -> str:
    """Return the id that begins or ends with the part; BadInput if several runs have such ids.

    A beginning is looked up among all runs, an end among the newest 200,000 live and ended ones.
    """
    text = part.lower()
    if is_id(text):
        return text
    if len(text) < LEAST_CHARS:
        raise BadInput(f"{part!r} is too short for a run's id; give {LEAST_CHARS} characters of it")
    if set(text) - set("0123456789abcdef-"):
        raise UnknownRun(part)
    found = backend.call(search_all, q=text, limit=2 * SHOWN).runs
    runs = [run for run in found if run.run_id.startswith(text) or run.run_id.endswith(text)]
    if len(runs) > 1:
        raise BadInput(_ambiguous(part, runs))
    if not runs:
        raise UnknownRun(part)
    return runs[0].run_id


def _ambiguous(part: str, runs: list[RunFound]) -> str:
    named = ", ".join(f"{run.run_id} ({run.job}, {run.status})" for run in runs[:SHOWN])
    more = " and others" if len(runs) > SHOWN else ""
    return f"{part!r} may mean {named}{more}; give the last {SHORT} characters"
