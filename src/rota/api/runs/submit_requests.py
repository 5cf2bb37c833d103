"""A request to submit runs, and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.engine.identity.audit_log import Actor
from rota.engine.runs.idempotency import KeyedRequest
from rota.model.identity.credentials import Credential
from rota.model.runs.run import Submitted


class SubmitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One run that a client asks for."""

    job: str
    args: dict[str, Any]
    options: dict[str, Any]


class SubmitCall(msgspec.Struct, frozen=True, kw_only=True):
    """All the runs of one request."""

    credential: Credential
    wishes: Sequence[SubmitRequest]
    by: Actor
    keyed: KeyedRequest | None
    verb: str = "submit"

    @property
    def subject(self) -> str:
        return self.wishes[0].job if len(self.wishes) == 1 else f"{len(self.wishes)} runs"


class SubmitReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to a call, one for each run; a run whose key has other arguments is refused."""

    runs: list[Submitted]
    is_replay: bool = False
