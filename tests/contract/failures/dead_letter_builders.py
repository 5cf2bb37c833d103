"""Builders for dead letters: a run that failed for good, and what is done about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.engine.failures.dead_letters import find_letter, groups, letters
from rota.engine.failures.discard import discard
from rota.engine.failures.redrive import RedrivePair, RedriveRequest, redrive
from rota.engine.identity.audit_log import Actor
from rota.ids import new_id
from rota.model.failures.dead_letter import LetterGroup, LetterView, Redriven
from rota.model.identity.credentials import Credential
from rota.model.runs.run import ErrorDetail, Lease
from rota.model.states import State
from rota.operations.caller import Caller
from rota.operations.failures.dead_letters import RedriveBody, discard_letters, redrive_letters
from rota.operations.failures.letter_choice import LettersBody
from rota.operations.tools import Tools
from rota.store.base import Store
from tests.contract.builders import HOME, finish_with, given_lease
from tests.contract.runs.model import Model


def error_text(message: str = "broken", *, kind: str = "ValueError") -> str:
    return msgspec.json.encode(ErrorDetail(type=kind, message=message)).decode()


def given_dead(store: Store, message: str = "broken", **fields: Any) -> str:
    """The id of a run that has used up its retries."""
    lease = given_lease(store, **fields)
    fail_for_good(store, lease, message)
    return lease.run_id


def fail_for_good(store: Store, lease: Lease, message: str) -> None:
    finish_with(
        store, lease, "fail", kind="error", error=error_text(message), reason="retries used up (3)"
    )


def letter_of(store: Store, run_id: str) -> LetterView:
    return store.read(lambda tx: find_letter(tx, run_id, namespace=HOME))


def all_letters(store: Store, **filters: Any) -> list[LetterView]:
    wanted = {"namespace": HOME, "state": None} | filters
    return store.read(lambda tx: letters(tx, **wanted))


def all_groups(store: Store, **filters: Any) -> list[LetterGroup]:
    wanted = {"namespace": HOME} | filters
    return store.read(lambda tx: groups(tx, **wanted))


def asking(who: str = "ann@desk", *, why: str = "") -> Caller:
    """Who may do everything; asked twice as the same caller it is one request."""
    credential = Credential(id="", who=who, namespace=HOME, roles=("admin", "exec", "audit"))
    actor = Actor(act_id=new_id(), who=who, why=why)
    return Caller(credential=credential, actor=actor, tools=Tools())


def redrive_all(store: Store, run_ids: Sequence[str], **wish: Any) -> list[Redriven]:
    return redrive_pairs(store, [RedrivePair(run_id, new_id()) for run_id in run_ids], **wish)


def redrive_pairs(store: Store, pairs: Sequence[RedrivePair], **wish: Any) -> list[Redriven]:
    wanted = RedriveRequest(**wish)
    return store.write(lambda tx: redrive(tx, pairs, wanted, namespace=HOME, who="ann@desk"))


def discard_all(store: Store, run_ids: Sequence[str]) -> int:
    return len(store.write(lambda tx: discard(tx, run_ids, namespace=HOME, who="ann@desk")))


def ask_to_redrive(
    store: Store, run_ids: Sequence[str], *, caller: Caller | None = None, **wish: Any
) -> list[Redriven]:
    """Through the operation, which keeps the audit."""
    body, caller = RedriveBody(ids=[*run_ids], **wish), caller or asking()
    return store.write(lambda tx: redrive_letters(tx, caller, body)).items


def ask_to_discard(store: Store, run_ids: Sequence[str], *, caller: Caller | None = None) -> int:
    """Through the operation, which keeps the audit."""
    body, caller = LettersBody(ids=[*run_ids]), caller or asking()
    return store.write(lambda tx: discard_letters(tx, caller, body)).discarded


def each_failure_left_one_letter(store: Store, model: Model) -> None:
    """What expired in its queue has failed as well, and leaves none."""
    found = [letter.run_id for letter in all_letters(store, limit=1_000)]
    ended = [run for run in model.runs.values() if run.state is State.FAILED]
    assert sorted(found) == sorted(run.id for run in ended if run.reason != "expired: ")
