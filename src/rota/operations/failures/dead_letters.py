"""Operations on dead letters: list them, run them again or close them, alone or by cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec.structs import replace

from rota.engine.failures import dead_letters as engine
from rota.engine.failures.discard import discard
from rota.engine.failures.redrive import RedrivePair, RedriveRequest, redrive
from rota.engine.identity.audit_log import find_act
from rota.engine.runs.find import now_ms
from rota.errors import UnknownRun
from rota.model.failures.dead_letter import (
    Discarded,
    LetterGroup,
    LetterState,
    LetterView,
    Redriven,
    RedrivenMany,
)
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.failures import letter_choice
from rota.operations.failures.letter_choice import (
    LetterProgress,
    LettersBody,
    checked_args,
    choose,
    read_progress,
    refuse,
    subject_of,
    visible_letter,
)
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit, page_start
from rota.operations.permissions import check_starts
from rota.operations.wire import QueryName
from rota.rules.text.rate import parse_rate
from rota.store.base import Tx


class RedriveBody(LettersBody):
    """Which letters, and how to run them again."""

    args: dict[str, Any] | None = None
    """Other arguments, checked as in a submit."""
    rate: str | None = None
    """`10/s` spreads their starts."""
    cursor: str | None = None
    """The `next` of the answer before, to go on with a large group: its starts come after those,
    and what has failed again since is left alone."""


@reads("/dead-letters/groups")
def list_letter_groups(
    tx: Tx,
    caller: Caller,
    *,
    job: Annotated[str | None, QueryName("jobId")] = None,
    group: str | None = None,
    acted: bool = False,
    limit: Limit = PAGE,
) -> Page[LetterGroup]:
    """By job and cause, most open letters first; `acted=true` shows finished groups, too."""
    found = engine.groups(
        tx,
        namespace=caller.namespace,
        job=job,
        fingerprint=group,
        queues=caller.credential.queues,
        acted=acted,
        limit=limit,
    )
    verbs = _verbs(caller)
    return Page(items=[replace(each, verbs=verbs if each.open else ()) for each in found])


@reads("/dead-letters")
def list_letters(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    *,
    group: str | None = None,
    job: Annotated[str | None, QueryName("jobId")] = None,
    letter_state: Annotated[LetterState | None, QueryName("state")] = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[LetterView]:
    """Those of the newest runs first; `cursor` is the `next` of the page before."""
    found = engine.letters(
        tx,
        namespace=caller.namespace,
        state=letter_state,
        job=job,
        fingerprint=group,
        queues=caller.credential.queues,
        before=page_start(cursor),
        limit=limit,
    )
    return Page(
        items=[_offered(each, caller) for each in found],
        next=found[-1].run_id if len(found) == limit else None,
    )


@reads("/dead-letters/{run_id}")
def show_letter(tx: Tx, caller: Caller, run_id: str) -> LetterView:
    """The letter of a run; a run that has none is told as such."""
    return _offered(visible_letter(tx, caller, run_id), caller)


@changes(
    "POST",
    "/dead-letters/{run_id}/redrive",
    verb="redrive",
    subject="",
    status=201,
    also=("exec",),
    is_repeatable=True,
)
def redrive_letter(
    tx: Tx,
    caller: Caller,
    run_id: str,
    *,
    args: dict[str, Any] | None = None,
    reason: str | None = None,
) -> Redriven:
    """Run it again as a new run, by the current definition of its job."""
    del reason  # the audit has it
    letter = visible_letter(tx, caller, run_id)
    refuse(letter, "discarded")
    wish = RedriveRequest(args=checked_args(tx, caller, args, {letter.job}))
    tell(tx, caller, subject=f"run {run_id}")
    done = _redrive(tx, caller, [run_id], wish)
    if not done:
        raise UnknownRun(run_id)
    return done[0]


@changes(
    "POST",
    "/dead-letters/redrive",
    verb="redrive",
    subject="",
    status=201,
    also=("exec",),
    is_repeatable=True,
)
def redrive_letters(tx: Tx, caller: Caller, body: RedriveBody) -> RedrivenMany:
    """Run some letters, or the open ones of a group, again; up to 500 in one request."""
    gap_ms = parse_rate(body.rate) if body.rate is not None else 0.0
    begun = read_progress(body.cursor)
    progress = begun or caller.once("progress", lambda: LetterProgress(now_ms(tx)))
    chosen = caller.once(
        "letters", lambda: choose(tx, caller, body, refused="discarded", progress=progress)
    )
    args = checked_args(tx, caller, body.args, chosen.jobs)
    tell(tx, caller, subject=subject_of(body))
    wish = RedriveRequest(args=args, gap_ms=gap_ms, first=progress.done)
    done = _redrive(tx, caller, chosen.ids, wish)
    is_full = bool(body.group) and len(chosen.ids) == letter_choice.AT_ONCE
    redriven = progress.done + sum(each.is_new for each in done)
    further = LetterProgress(progress.until, redriven, chosen.ids[-1]).text() if is_full else None
    return RedrivenMany(items=done, left=chosen.left, next=further)


@changes("POST", "/dead-letters/{run_id}/discard", verb="discard", subject="", is_repeatable=True)
def discard_letter(tx: Tx, caller: Caller, run_id: str, *, reason: str | None = None) -> Discarded:
    """Close a letter that nobody will redrive; its run stays until retention."""
    return _discard(tx, caller, LettersBody(ids=[run_id], reason=reason))


@changes("POST", "/dead-letters/discard", verb="discard", subject="", is_repeatable=True)
def discard_letters(tx: Tx, caller: Caller, body: LettersBody) -> Discarded:
    """Close some letters, or the open ones of a group; up to 500 in one request."""
    return _discard(tx, caller, body)


def _redrive(
    tx: Tx, caller: Caller, run_ids: Sequence[str], wish: RedriveRequest
) -> list[Redriven]:
    done = redrive(
        tx,
        [RedrivePair(run_id, caller.new_id_for(run_id)) for run_id in run_ids],
        wish,
        namespace=caller.namespace,
        who=caller.actor.who,
        check=lambda starts: check_starts(tx, caller.credential, starts),
    )
    new = [each.run_id for each in done if each.is_new]
    if new:
        args = None if wish.args is None else "edited"
        tell(tx, caller, letters=len(new), runs=new, args=args)
    else:
        nothing_changed(tx, caller)
    return done


def _discard(tx: Tx, caller: Caller, body: LettersBody) -> Discarded:
    def decide() -> letter_choice.Choice:
        return choose(tx, caller, body, refused="redriven", progress=LetterProgress(now_ms(tx)))

    chosen = caller.once("letters", decide)
    gone = discard(tx, chosen.ids, namespace=caller.namespace, who=caller.actor.who)
    if gone:
        tell(tx, caller, subject=subject_of(body), letters=len(gone), runs=gone)
        return Discarded(discarded=len(gone), left=chosen.left)
    nothing_changed(tx, caller)
    # This may be a repeat: then the entry of the first time says how many there were.
    entry = find_act(tx, caller.actor.act_id, namespace=caller.namespace)
    return Discarded(discarded=entry.detail["letters"] if entry else 0, left=chosen.left)


def _verbs(caller: Caller) -> tuple[str, ...]:
    return caller.may("redrive", "discard")


def _offered(letter: LetterView, caller: Caller) -> LetterView:
    return replace(letter, verbs=_verbs(caller) if letter.state == "open" else ())
