"""Dead letters as clients see them, and what they ask about them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.api.server.documents import Document, Moment, then, when
from rota.engine.failures.dead_letters import LetterGroup, LetterView
from rota.model.view import Body


class GroupDocument(Document):
    """Letters of the same job and cause; the newest speaks for all."""

    group: str
    """What to name it by: the fingerprint of the cause."""
    job: str
    error_type: str
    message: str
    reason: str | None
    open: int
    """How many wait for somebody."""
    total: int
    first_at: Moment
    last_at: Moment
    versions: list[int]
    verbs: list[str]


class LetterDocument(Document):
    """A run that failed for good, and what was done about it."""

    run_id: str = msgspec.field(name="executionId")
    job: str
    version: int
    group: str
    error_type: str
    message: str
    reason: str | None
    died_at: Moment
    state: Literal["open", "redriven", "discarded"]
    acted_at: Moment | None
    acted_by: str | None
    rerun_id: str | None
    """The run it was redriven as."""
    verbs: list[str]


class RedriveBody(Body):
    """How to run one again."""

    args: dict[str, Any] | None = None
    """Other arguments, checked as in a submit."""
    reason: str | None = None


class ChosenBody(Body):
    """Which letters: some runs, or a group."""

    group: str | None = None
    ids: list[str] | None = None
    reason: str | None = None


class RedriveManyBody(ChosenBody, kw_only=True):
    """Which letters, and how to run them again."""

    args: dict[str, Any] | None = None
    rate: str | None = None
    """`10/s` spreads their starts."""
    cursor: str | None = None
    """The `next` of the answer before, to go on with a large group: its starts come after those,
    and what has failed again since is left alone."""


class RedrivenDocument(Document):
    """A letter and the run it became."""

    run_id: str = msgspec.field(name="executionId")
    rerun_id: str
    is_new: bool
    """False if somebody had redriven it before."""


class RedrivenMany(Document):
    """What was redriven now; ask again with the cursor while there is one."""

    items: list[RedrivenDocument]
    left: int
    """Open letters of the group that did not fit into one request."""
    next: str | None = None


class Discarded(Document):
    """How many letters were closed; ask again while some are left."""

    discarded: int
    left: int = 0


def group_document(group: LetterGroup, verbs: list[str]) -> GroupDocument:
    return GroupDocument(
        group=group.fingerprint,
        job=group.job,
        error_type=group.error_type,
        message=group.message,
        reason=group.reason,
        open=group.open,
        total=group.total,
        first_at=then(group.first_at),
        last_at=then(group.last_at),
        versions=list(group.versions),
        verbs=verbs if group.open else [],
    )


def letter_document(letter: LetterView, verbs: list[str]) -> LetterDocument:
    return LetterDocument(
        run_id=letter.run_id,
        job=letter.job,
        version=letter.version,
        group=letter.fingerprint,
        error_type=letter.error_type,
        message=letter.message,
        reason=letter.reason,
        died_at=then(letter.died_at),
        state=letter.state,
        acted_at=when(letter.acted_at),
        acted_by=letter.acted_by,
        rerun_id=letter.rerun_id,
        verbs=verbs if letter.state == "open" else [],
    )
