"""The audit: an entry for each change that a person made, and the chain that protects them."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import Moment
from rota.model.view import View


class AuditEntry(View, frozen=True):
    """A change that a person made."""

    id: str
    """That of the request, for those that came over HTTP."""
    at: Moment
    who: str
    verb: str
    subject: str
    detail: dict[str, Any]
    address: str | None = None
    """Where the request came from, if it came over the network."""
    request_id: str | None = None
    before_digest: str | None = msgspec.field(default=None, name="before")
    """Of what was there before, where the verb looks at that."""
    after_digest: str | None = msgspec.field(default=None, name="after")
    """Of what the change left or answered."""
    seq: int | None = None
    """Its place in the chain of its namespace; None until it has one."""
    hash: str | None = None
    name: str | None = msgspec.field(default=None, name="subjectName")
    """The name of its subject, if that is the id of a token or a worker."""


class ChainVerdict(View, frozen=True):
    """The result of a walk along the chain."""

    is_good: bool
    acts: int
    """How many entries were walked along."""
    seq: int
    """The last place that holds, or where it breaks."""
    hash: str
    """To be written down elsewhere: a chain that was made anew has another one."""
    says: str = ""
    """What is wrong; of a chain that is good, what its anchors leave open."""
    anchors: int = 0
    """How many anchors fit."""


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a namespace's chain at some moment, noted where the database cannot reach."""

    namespace: str
    seq: int
    hash: str
    at: int
    """The time when it was noted."""
    kept_until: int | None = None
    """The time until which retention keeps the entry at its end; None if that is not known."""
