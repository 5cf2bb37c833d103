"""The audit: an entry for each change that a person made, and the chain that protects them."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import Moment
from rota.model.view import View


class AuditEntry(View, frozen=True):
    """A change that a person made."""

    id: str
    """The id of the entry; that of the request if it came over HTTP."""
    at: Moment
    who: str
    verb: str
    subject: str
    detail: dict[str, Any]
    address: str | None = None
    """The address of the caller, if the request came over the network."""
    request_id: str | None = None
    before_digest: str | None = msgspec.field(default=None, name="before")
    """The digest of the state before, where the verb reads it."""
    after_digest: str | None = msgspec.field(default=None, name="after")
    """The digest of the state or answer after the change."""
    seq: int | None = None
    """Its place in the chain of its namespace; None until it has one."""
    hash: str | None = None
    name: str | None = msgspec.field(default=None, name="subjectName")
    """The name of its subject, if that is the id of a token or a worker."""


class ChainVerdict(View, frozen=True):
    """The result of a walk along the chain."""

    is_good: bool
    acts: int
    """The number of entries that were checked."""
    seq: int
    """The last place that holds, or where it breaks."""
    hash: str
    """To be written down elsewhere: a chain that was made anew has another one."""
    says: str = ""
    """The fault; for a good chain, the part that its anchors do not cover."""
    anchors: int = 0
    """The number of anchors that fit."""


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a namespace's chain at some moment, noted where the database cannot reach."""

    namespace: str
    seq: int
    hash: str
    at: int
    """The time when it was noted."""
    kept_until: int | None = None
    """The time until which retention keeps the entry at its end; None if that is not known."""
