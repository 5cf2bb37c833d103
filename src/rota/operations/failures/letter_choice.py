"""The dead letters that a request means, its progress, and the arguments of the new runs."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from rota.engine.failures.dead_letters import find_letter, open_group, open_letters
from rota.engine.jobs.definitions import last_version, spec_of
from rota.engine.runs.find import find
from rota.errors import (
    BadArguments,
    BadInput,
    NotAllowed,
    PayloadTooLarge,
    UnknownJob,
    UnknownRun,
)
from rota.ids import is_id
from rota.model.failures.dead_letter import LetterState, LetterView
from rota.model.view import Body
from rota.operations.caller import Caller
from rota.operations.payloads import check_payload
from rota.rules.jobs.signature import MAX_ARGS_BYTES, Signature
from rota.rules.jobs.stored_signature import recorded_signature
from rota.store.base import Tx

AT_ONCE = 500
"""The most letters of one request, which is one transaction."""
CURSOR = re.compile(r"([0-9]{1,15})\.([0-9]{1,9})\.([0-9a-f-]{36})")


class LettersBody(Body):
    """Which letters: some runs, or a group."""

    group: str | None = None
    ids: list[str] | None = None
    reason: str | None = None


class LetterProgress(NamedTuple):
    """How far a request for many letters has come in its parts."""

    until: int
    """Letters of runs that failed later are not meant."""
    done: int = 0
    after: str | None = None

    def text(self) -> str:
        """A cursor, with which the next part goes on."""
        return f"{self.until}.{self.done}.{self.after}"


class Choice(NamedTuple):
    """Return the selection that a request makes."""

    ids: list[str]
    jobs: set[str]
    left: int = 0
    """Open letters of the group for another request."""


def read_progress(cursor: str | None) -> LetterProgress | None:
    """Return the position that a cursor encodes; None without one."""
    if cursor is None:
        return None
    found = CURSOR.fullmatch(cursor)
    if found is None or not is_id(found[3]):
        raise BadInput("cursor: give the `next` of the answer before")
    return LetterProgress(int(found[1]), int(found[2]), found[3])


def choose(
    tx: Tx, caller: Caller, body: LettersBody, *, refused: LetterState, progress: LetterProgress
) -> Choice:
    """The runs that are meant, their jobs, and how many letters are left for another request."""
    if bool(body.ids) == bool(body.group):
        raise BadInput("say which dead letters: `ids` of some runs, or a `group`")
    if body.group:
        return _of_group(tx, caller, body.group, progress)
    once = list(dict.fromkeys(body.ids or ()))
    if len(once) > AT_ONCE:
        raise BadInput(f"give up to {AT_ONCE} ids at once")
    letters = [visible_letter(tx, caller, run_id) for run_id in once]
    for letter in letters:
        refuse(letter, refused)
    return Choice(once, {letter.job for letter in letters})


def _of_group(tx: Tx, caller: Caller, group: str, progress: LetterProgress) -> Choice:
    at: dict[str, Any] = {"namespace": caller.namespace, "queues": caller.credential.queues}
    found = open_group(tx, group, **at)
    if found.job is None and progress.after:
        return Choice([], set())
    if found.job is None:
        raise BadInput(f"no open dead letter has the fingerprint {group!r:.64}")
    ids = open_letters(tx, group, until=progress.until, after=progress.after, limit=AT_ONCE, **at)
    return Choice(ids, {found.job}, found.count - len(ids))


def visible_letter(tx: Tx, caller: Caller, run_id: str) -> LetterView:
    """The letter of a run, if the caller sees that run."""
    letter = find_letter(tx, run_id, namespace=caller.namespace)
    if not caller.sees_all_queues:
        run = find(tx, run_id, namespace=caller.namespace)
        if not caller.sees(run.queue):
            raise UnknownRun(run_id)
    return letter


def refuse(letter: LetterView, state: LetterState) -> None:
    """NotAllowed if the letter is in this state."""
    if letter.state == state:
        raise NotAllowed(
            f"the dead letter of run {letter.run_id} was {letter.state} by {letter.acted_by}; "
            "any ended run can be run again with its verb `rerun`: `rota runs rerun`"
        )


def subject_of(body: LettersBody) -> str:
    """Return the selection as the audit records it."""
    if body.group is not None:
        return f"group {body.group:.64}"
    ids = body.ids or []
    return f"run {ids[0]:.64}" if len(ids) == 1 else f"{len(ids)} runs"


def checked_args(tx: Tx, caller: Caller, args: dict[str, Any] | None, jobs: set[str]) -> str | None:
    """Other arguments, as the one job takes them; None without any."""
    if args is None or not jobs:
        return None
    check_one_job(jobs)
    (job,) = jobs
    signature = caller.tools.signature(job) or _recorded(tx, caller, job, args)
    return check_payload(tx, caller, "the arguments take", signature.bind((), args))


def check_one_job(jobs: set[str]) -> None:
    """BadArguments if letters of several jobs are to run with the same arguments."""
    if len(jobs) > 1:
        names = ", ".join(sorted(jobs))
        raise BadArguments(f"other arguments are for letters of one job, not of {names:.200}")


def _recorded(tx: Tx, caller: Caller, job: str, args: dict[str, Any]) -> Signature:
    """Return the signature of a job without its code; for a removed job, of its last version."""
    try:
        text = msgspec.json.encode(args)
    except (TypeError, ValueError) as error:
        raise BadArguments(f"the arguments are no JSON: {error}") from error
    if len(text) > MAX_ARGS_BYTES:
        raise PayloadTooLarge(f"the arguments take more than {MAX_ARGS_BYTES:,} bytes")
    version = last_version(tx, job, namespace=caller.namespace)
    spec = None if version is None else spec_of(tx, job, version, namespace=caller.namespace)
    if spec is None:
        raise UnknownJob(job)
    return recorded_signature(spec)
