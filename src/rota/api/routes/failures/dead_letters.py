"""Dead letters: runs that failed for good, alone or by cause; run them again, or close them."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.routes.failures.dead_letter_documents import (
    ChosenBody,
    Discarded,
    GroupDocument,
    LetterDocument,
    RedriveBody,
    RedriveManyBody,
    RedrivenDocument,
    RedrivenMany,
    group_document,
    letter_document,
)
from rota.api.runs.payload_limits import checked_args
from rota.api.server.request import ApiRequest
from rota.engine.failures.dead_letters import (
    LetterState,
    LetterView,
    find_letter,
    groups,
    letters,
    open_group,
    open_letters,
)
from rota.engine.failures.discard import discard
from rota.engine.failures.redrive import Redriven, RedrivePair, RedriveRequest, redrive
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.find import find, now_ms
from rota.errors import BadArguments, BadInput, NotAllowed, UnknownJob, UnknownRun
from rota.ids import is_id, new_id
from rota.model.view import Page
from rota.operations.paging import MOST, PAGE, page_start
from rota.operations.permissions import check_starts
from rota.rules.jobs.stored_signature import recorded_signature
from rota.rules.text.rate import parse_rate
from rota.store.base import Tx

AT_ONCE = 500
"""Letters of one request: it is one transaction."""
CURSOR = re.compile(r"([0-9]{1,15})\.([0-9]{1,9})\.([0-9a-f-]{36})")
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
VERBS = ("redrive", "discard")


class _Way(NamedTuple):
    """How far a request for a group has come in its parts."""

    until: int
    """Letters of runs that failed later are not meant."""
    done: int = 0
    after: str | None = None


@get("/dead-letters/groups", **needs("viewer"))
async def list_groups(
    request: ApiRequest,
    *,
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    acted: FromQuery[bool] = False,
    limit: Limit = PAGE,
) -> Page[GroupDocument]:
    """By job and cause, most open letters first; `acted=true` shows finished groups, too."""
    found = await request.read(
        lambda tx: groups(
            tx,
            namespace=request.namespace,
            job=job,
            queues=request.credential.queues,
            acted=acted,
            limit=limit,
        )
    )
    verbs = offered(request.credential, *VERBS)
    return Page(items=[group_document(each, verbs) for each in found])


@get("/dead-letters", **needs("viewer"))
async def list_letters(
    request: ApiRequest,
    group: FromQuery[str | None] = None,
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    letter_state: Annotated[LetterState | None, QueryParameter(name="state")] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
) -> Page[LetterDocument]:
    """Those of the newest runs first; `cursor` is the `next` of the page before."""
    start = page_start(cursor)
    found = await request.read(
        lambda tx: letters(
            tx,
            namespace=request.namespace,
            state=letter_state,
            job=job,
            fingerprint=group,
            queues=request.credential.queues,
            before=start,
            limit=limit,
        )
    )
    verbs = offered(request.credential, *VERBS)
    return Page(
        items=[letter_document(each, verbs) for each in found],
        next=found[-1].run_id if len(found) == limit else None,
    )


@get("/dead-letters/{run_id:str}", **needs("viewer"))
async def show_letter(request: ApiRequest, run_id: FromPath[str]) -> LetterDocument:
    """The letter of a run; a run that has none is told as such."""
    letter = await request.read(lambda tx: _reached(tx, request, run_id))
    return letter_document(letter, offered(request.credential, *VERBS))


@post("/dead-letters/{run_id:str}/redrive", **needs("operator", changes=True, also=("exec",)))
async def redrive_one(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[RedriveBody | None] = None
) -> RedrivenDocument:
    """Run it again as a new run, by the current definition of its job."""
    asked = data or RedriveBody()

    def again(tx: Tx, by: Actor) -> RedrivenDocument:
        letter = _reached(tx, request, run_id)
        _refuse(letter, "discarded")
        args = _checked(tx, request, asked.args, {letter.job})
        wish = RedriveRequest(subject=f"run {run_id}", args=args)
        done = _redrive(tx, request, [RedrivePair(run_id, new_id())], wish, by)
        if not done:
            raise UnknownRun(run_id)
        return _redriven(done[0])

    return await request.change(
        "redrive", f"run {run_id}", again, answers=RedrivenDocument, why=asked.reason or ""
    )


@post("/dead-letters/redrive", **needs("operator", changes=True, also=("exec",)))
async def redrive_many(request: ApiRequest, data: JSONBody[RedriveManyBody]) -> RedrivenMany:
    """Run some letters, or the open ones of a group, again; up to 500 in one request."""
    gap_ms = parse_rate(data.rate) if data.rate is not None else 0.0
    subject = _subject(data)
    begun = _read_cursor(data.cursor)

    def again(tx: Tx, by: Actor) -> RedrivenMany:
        way = begun or _Way(now_ms(tx))
        ids, jobs, left = _chosen(tx, request, data, refused="discarded", way=way)
        args = _checked(tx, request, data.args, jobs)
        wish = RedriveRequest(subject=subject, args=args, gap_ms=gap_ms, first=way.done)
        pairs = [RedrivePair(run_id, new_id()) for run_id in ids]
        done = _redrive(tx, request, pairs, wish, by)
        is_full = bool(data.group) and len(ids) == AT_ONCE
        redriven = way.done + sum(each.is_new for each in done)
        further = f"{way.until}.{redriven}.{ids[-1]}" if is_full else None
        return RedrivenMany(items=[_redriven(each) for each in done], left=left, next=further)

    return await request.change(
        "redrive", subject, again, answers=RedrivenMany, why=data.reason or ""
    )


@post("/dead-letters/{run_id:str}/discard", **needs("operator", changes=True), status_code=200)
async def discard_one(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[RedriveBody | None] = None
) -> Discarded:
    """Close a letter that nobody will redrive; its run stays until retention."""
    reason = data.reason if data else None
    return await _discard(request, ChosenBody(ids=[run_id], reason=reason))


@post("/dead-letters/discard", **needs("operator", changes=True), status_code=200)
async def discard_many(request: ApiRequest, data: JSONBody[ChosenBody]) -> Discarded:
    """Close some letters, or the open ones of a group; up to 500 in one request."""
    return await _discard(request, data)


async def _discard(request: ApiRequest, asked: ChosenBody) -> Discarded:
    subject = _subject(asked)

    def close(tx: Tx, by: Actor) -> Discarded:
        ids, _, left = _chosen(tx, request, asked, refused="redriven", way=_Way(now_ms(tx)))
        gone = discard(tx, ids, namespace=request.namespace, subject=subject, by=by)
        return Discarded(discarded=gone, left=left)

    return await request.change(
        "discard", subject, close, answers=Discarded, why=asked.reason or ""
    )


def _redrive(
    tx: Tx, request: ApiRequest, pairs: list[RedrivePair], wish: RedriveRequest, by: Actor
) -> list[Redriven]:
    return redrive(
        tx,
        pairs,
        wish,
        namespace=request.namespace,
        by=by,
        check=lambda starts: check_starts(tx, request.credential, starts),
    )


def _read_cursor(cursor: str | None) -> _Way | None:
    if cursor is None:
        return None
    found = CURSOR.fullmatch(cursor)
    if found is None or not is_id(found[3]):
        raise BadInput("cursor: give the `next` of the answer before")
    return _Way(int(found[1]), int(found[2]), found[3])


def _chosen(
    tx: Tx, request: ApiRequest, asked: ChosenBody, *, refused: LetterState, way: _Way
) -> tuple[list[str], set[str], int]:
    """The runs that are meant, their jobs, and how many letters are left for another request."""
    if bool(asked.ids) == bool(asked.group):
        raise BadInput("say which dead letters: `ids` of some runs, or a `group`")
    if asked.group:
        at: dict[str, Any] = {"namespace": request.namespace, "queues": request.credential.queues}
        found = open_group(tx, asked.group, **at)
        if found.job is None and way.after:
            return [], set(), 0
        if found.job is None:
            raise BadInput(f"no open dead letter has the fingerprint {asked.group!r:.64}")
        ids = open_letters(tx, asked.group, until=way.until, after=way.after, limit=AT_ONCE, **at)
        return ids, {found.job}, found.count - len(ids)
    once = list(dict.fromkeys(asked.ids or ()))
    if len(once) > AT_ONCE:
        raise BadInput(f"give up to {AT_ONCE} ids at once")
    chosen = [_reached(tx, request, run_id) for run_id in once]
    for letter in chosen:
        _refuse(letter, refused)
    return once, {letter.job for letter in chosen}, 0


def _checked(
    tx: Tx, request: ApiRequest, args: dict[str, Any] | None, jobs: set[str]
) -> str | None:
    if args is None or not jobs:
        return None
    if len(jobs) > 1:
        names = ", ".join(sorted(jobs))
        raise BadArguments(f"other arguments are for letters of one job, not of {names:.200}")
    (job,) = jobs
    specs = current_specs(tx, jobs, namespace=request.namespace)
    if job not in specs:
        raise UnknownJob(job)
    return checked_args(tx, request, recorded_signature(specs[job][1]).bind((), args))


def _reached(tx: Tx, request: ApiRequest, run_id: str) -> LetterView:
    letter = find_letter(tx, run_id, namespace=request.namespace)
    if request.credential.queues is not None:
        run = find(tx, run_id, namespace=request.namespace)
        if not request.credential.reaches(run.queue):
            raise UnknownRun(run_id)
    return letter


def _refuse(letter: LetterView, state: LetterState) -> None:
    if letter.state == state:
        raise NotAllowed(
            f"the dead letter of run {letter.run_id} was {letter.state} by {letter.acted_by}; "
            "any ended run can be run again with its verb `rerun`"
        )


def _redriven(done: Redriven) -> RedrivenDocument:
    return RedrivenDocument(run_id=done.run_id, rerun_id=done.rerun_id, is_new=done.is_new)


def _subject(asked: ChosenBody) -> str:
    if asked.group is not None:
        return f"group {asked.group:.64}"
    ids = asked.ids or []
    return f"run {ids[0]:.64}" if len(ids) == 1 else f"{len(ids)} runs"


ROUTES = (
    list_groups,
    list_letters,
    show_letter,
    redrive_one,
    redrive_many,
    discard_one,
    discard_many,
)
