"""Joining a feed: the events since a client left, or where the logs that it follows end."""

from __future__ import annotations

from rota.api.live.client import LiveClient
from rota.api.live.events import event
from rota.api.live.reader import LONGEST_MS, MOST_READ, MOST_TOLD, SKEW_MS
from rota.api.live.tails import lines_after
from rota.api.live.topics import MOST_CLAIMS, Ends
from rota.engine.insight.changes import changed, mark, traces
from rota.engine.logs import ends as log_ends
from rota.engine.runs.find import find
from rota.errors import UnknownRun
from rota.ids import first_id
from rota.store.base import Tx


class MissedEvents:
    """The events that a client gets before all others."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, bytes]] = []
        self.ends: dict[str, dict[int, int]] = {}
        self.is_too_much = False


def missed(tx: Tx, client: LiveClient) -> MissedEvents:
    """Read in a thread what a client missed; UnknownRun for logs of a run out of its reach."""
    found = MissedEvents()
    for run_id in client.topics.logs:
        run = find(tx, run_id, namespace=client.namespace)
        if not client.reaches(run.queue):
            raise UnknownRun(run_id)
        known = client.resume.logs.get(run_id) if client.resume else None
        found.ends[run_id] = _seen_lines(tx, run_id, client.namespace, known)
    if client.resume is not None and client.topics.runs:
        _missed_runs(tx, client, client.resume.floor, found)
    return found


def _missed_runs(tx: Tx, client: LiveClient, floor: int, found: MissedEvents) -> None:
    now = mark(tx).now
    if not now - LONGEST_MS <= floor <= now:
        found.is_too_much = True
        return
    seen = traces(tx, since=floor, first=first_id(floor - SKEW_MS), limit=MOST_READ)
    ids = {*seen.ended, *seen.made, *seen.running, *(run_id for run_id, _ in seen.attempts)}
    if seen.is_cut or len(ids) > MOST_TOLD:
        found.is_too_much = True
        return
    for _, run in changed(tx, ids, since=floor, namespace=client.namespace):
        if client.reaches(run.queue):
            found.runs.append((run.id, event("run", run)))


def _seen_lines(tx: Tx, run_id: str, namespace: str, known: Ends | None) -> dict[int, int]:
    """Return the last line of each claim that the client has seen.

    Claims before those that fit into an id are over, and the client got all of their lines.
    """
    if known is None:
        return _last_lines(tx, run_id, namespace)
    if len(known) < MOST_CLAIMS:
        return dict(known)
    last, first = _last_lines(tx, run_id, namespace), min(known)
    return {claim: seq for claim, seq in last.items() if claim < first} | dict(known)


def _last_lines(tx: Tx, run_id: str, namespace: str) -> dict[int, int]:
    """Return the last line of each claim; only lines after it are sent."""
    ends = log_ends(tx, run_id, namespace=namespace)
    before = {claim: seq - 1 for claim, seq in ends.items()}
    for line in lines_after(tx, run_id, namespace=namespace, ends=before):
        ends[line.fence] = max(ends.get(line.fence, 0), line.seq)
    return ends


def tell_missed(client: LiveClient, found: MissedEvents, *, floor: int) -> None:
    """Add the missed events on the event loop; newer events that the feed has added stay."""
    begin = client.resume.floor if client.resume else floor
    client.ends.update(found.ends)
    if found.is_too_much:
        client.reset(floor)
    for run_id, text in found.runs:
        client.put_older(("run", run_id), begin, text)
