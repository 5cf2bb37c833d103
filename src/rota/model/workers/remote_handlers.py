"""The requests of a remote worker's handlers to its server, and the answers."""

from __future__ import annotations

from typing import Literal

from rota.model.runs.labels import Labels
from rota.model.workers.remote import AttemptBody, Name, ServerMessage


class CheckpointBody(AttemptBody, kw_only=True):
    """The checkpoint of a handler."""

    state: str
    """JSON text."""


class CheckpointState(ServerMessage, frozen=True, kw_only=True):
    """The last checkpoint of a run, as JSON text."""

    state: str | None


class EffectBody(AttemptBody, kw_only=True):
    """A call to the outside world: about to begin, done, or taken back."""

    verb: Literal["intend", "settle", "retract"]
    name: Name
    result: str | None = None
    """The result as JSON text, when it is settled."""
    args_digest: Name | None = None
    """A digest of the arguments of the node that is about to begin it."""


class EffectState(ServerMessage, frozen=True, kw_only=True):
    """The state of an effect in the ledger."""

    is_new: bool = False
    is_settled: bool = False
    result: str | None = None
    key_run: str | None = None
    """The run that its key is made of, if that is an earlier one."""


class LabelBody(AttemptBody, kw_only=True):
    """Labels that a handler gives its run; null removes one."""

    labels: dict[str, str | int | float | bool | None]


class LabelState(ServerMessage, frozen=True, kw_only=True):
    """All labels of a run."""

    labels: Labels


class SuccessState(ServerMessage, frozen=True, kw_only=True):
    """The last success of the schedule that started a run."""

    at: int | None = None
    result: str | None = None
