"""What a worker without a database and a server say to each other, in the words of both.

A worker tells how attempts ended. What that means for their runs, and all that is known of them,
the server takes from the store.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from rota.model.run import ErrorDetail, Lease
from rota.model.spec import JobSpec

MOST_RUNS = 1_000
"""Of one claim, one heartbeat, one report."""
MOST_CHUNKS = 2_000
MOST_JOBS = 10_000
LONG_TEXT = 20_000

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=LONG_TEXT)]
RunId = Annotated[str, Meta(min_length=36, max_length=36)]
Token = Annotated[str, Meta(min_length=1, max_length=2_000)]
Fence = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class _Said(
    msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """From the worker; unknown fields are refused, unused ones left out for older servers."""


class _Told(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """From the server; fields that an older worker does not know do no harm."""


class RegisterBody(_Said, kw_only=True):
    """A worker process that has just begun."""

    worker_id: RunId
    """New at each start, made by the worker: sent again it is the same worker."""
    name: Name
    host: Name
    pid: Count
    version: Name
    slots: Annotated[int, Meta(ge=1, le=1_000)]
    jobs: Annotated[list[Name], Meta(max_length=MOST_JOBS)]
    """Those whose code it has."""
    queues: Annotated[list[Name], Meta(max_length=1_000)] | None = None
    """Of those of its token; all of them, if left out."""
    stored: bool = False
    """It also carries out jobs that no code defines: programs, requests, functions it imports."""
    replaces: Annotated[list[RunId], Meta(max_length=1_000)] = []
    """Workers of the same token that are known to be dead: their runs go back at once."""


class Registered(_Told, frozen=True, kw_only=True):
    """What a worker has to know of its place."""

    worker_id: str
    namespace: str
    queues: tuple[str, ...]
    lease_ms: int
    """So long after its last heartbeat its runs are given to others."""
    heartbeat_ms: int
    unknown_jobs: tuple[str, ...] = ()
    """Jobs that nobody has defined here: runs of them will not come."""
    hears_begins: bool = False
    """It may be told when handlers began, and what is claimed ahead."""


class AttemptBody(_Said, kw_only=True):
    """One attempt of one run, and the proof that it is this worker's."""

    run_id: RunId
    fence: Fence
    token: Token


class ClaimBody(_Said, kw_only=True):
    """How many runs a worker could begin now."""

    limit: Annotated[int, Meta(ge=1, le=MOST_RUNS)]
    held: Annotated[list[AttemptBody], Meta(max_length=2 * MOST_RUNS)] | None = None
    """Said after an answer was lost: all that it holds. What else it was given goes back."""
    ahead: Annotated[int, Meta(ge=0, le=MOST_RUNS)] = 0
    """So many of them have no free slot yet, and are held ready."""


class ClaimedRun(_Told, frozen=True, kw_only=True):
    """A run to be carried out; the fields are those of a lease."""

    run_id: str
    fence: int
    token: str
    """To be sent with all that is said of this attempt."""
    attempt: int
    job: str
    version: int
    queue: str
    args: str
    """JSON text, complete."""
    policy: str | None = None
    failures: int = 0
    crashes: int = 0
    at_most_once: bool = False
    due_at: int
    claimed_at: int
    origin: str | None = None
    parent_id: str | None = None
    node: str | None = None
    item: int | None = None
    is_held: bool = False
    """It was claimed ahead of a free slot."""

    @classmethod
    def of(cls, lease: Lease, token: str) -> ClaimedRun:
        """As the server tells it."""
        facts = {name: getattr(lease, name) for name in cls.__struct_fields__ if name != "token"}
        return cls(token=token, **facts)

    def lease(self) -> Lease:
        """As the worker holds it."""
        facts = msgspec.structs.asdict(self)
        del facts["token"]
        return Lease(**facts)


class Definition(_Told, frozen=True, kw_only=True):
    """The version of a job that some of the runs are pinned to."""

    version: int
    origin: str
    """Who brought it: `code`, `api` or a file."""
    spec: JobSpec


class Claimed(_Told, frozen=True, kw_only=True):
    """Runs, and the definitions they are pinned to."""

    runs: list[ClaimedRun] = []
    definitions: list[Definition] = []
    draining: bool = False
    """Nothing is given out, because somebody wants this worker to take nothing new."""


class ProgressBody(AttemptBody, kw_only=True):
    """How far a handler says it is."""

    fraction: Annotated[float, Meta(ge=0, le=1)]
    note: Annotated[str, Meta(max_length=600)] = ""


class BegunBody(AttemptBody, kw_only=True):
    """A run that was held ready, and has a slot now."""

    held_ms: Count
    """How long after the claim its handler began."""


class HeartbeatBody(_Said, kw_only=True):
    """A sign of life."""

    held: Annotated[list[AttemptBody], Meta(max_length=2 * MOST_RUNS)] = []
    progress: Annotated[list[ProgressBody], Meta(max_length=2 * MOST_RUNS)] = []
    begun: Annotated[list[BegunBody], Meta(max_length=2 * MOST_RUNS)] = []
    running: Count | None = None
    """How many handlers run; as many as are held, if left out."""
    left_behind: Count = 0
    """Handlers that did not stop when they were asked to, and go on."""
    draining: bool = False
    stored: bool = False


class Beaten(_Told, frozen=True, kw_only=True):
    """What has become of the runs that a worker holds."""

    lost: list[str] = []
    """Others have them now: stop, and say nothing more of them."""
    cancelled: list[str] = []
    """Somebody wants them to stop."""
    recalls: bool = False
    """Give back what has not begun: its queue or its job was stopped."""
    draining: bool = False
    """Take nothing new until further notice."""


class Rung(_Told, frozen=True, kw_only=True):
    """Whether the worker should ask what has become of its runs."""

    rung: bool


class EndBody(AttemptBody, kw_only=True):
    """How an attempt ended, in one of four ways; the server decides what follows."""

    ending: Literal["returned", "raised", "crashed", "stopped"]
    began: bool = True
    """Whether the handler had begun."""
    held_ms: Count | None = None
    """How long after the claim that was."""
    left_behind: bool = False
    """The handler did not stop when it was asked to, and goes on."""
    result: str | None = None
    """JSON text, of one that returned."""
    error: ErrorDetail | None = None
    types: Annotated[list[Text], Meta(max_length=100)] = []
    """The class of the exception and those above it."""
    retry_after_ms: Count | None = None
    custom_delay_ms: Count | None = None
    """What the retry function of the job says; counts only for a job that has one."""
    wants_retry: bool = False
    gives_up: bool = False
    reason: Annotated[str, Meta(max_length=2_000)] | None = None
    why: Literal["timeout", "cancel", "drain", "cut_off"] | None = None
    """Of one that was stopped."""


class FinishBody(_Said, kw_only=True):
    """Attempts that have ended."""

    ended: Annotated[list[EndBody], Meta(min_length=1, max_length=MOST_RUNS)]


class Finished(_Told, frozen=True, kw_only=True):
    """All but these are on record."""

    lost: list[str] = []
    """Ended before, or others have them: nothing was changed."""


class ChunkBody(AttemptBody, kw_only=True):
    """Lines that follow each other."""

    seq: Annotated[int, Meta(ge=1, le=20_000)]
    first_at: int
    marks: Annotated[str, Meta(max_length=LONG_TEXT)]
    body: Annotated[str, Meta(max_length=65_536)]


class LogsBody(_Said, kw_only=True):
    """What handlers printed and logged."""

    chunks: Annotated[list[ChunkBody], Meta(min_length=1, max_length=MOST_CHUNKS)]


class Taken(_Told, frozen=True, kw_only=True):
    """How many chunks were new, and fitted."""

    chunks: int


class CheckpointBody(AttemptBody, kw_only=True):
    """How far a handler has come."""

    state: str
    """JSON text."""


class CheckpointState(_Told, frozen=True, kw_only=True):
    """The last checkpoint of a run, as JSON text."""

    state: str | None


class EffectBody(AttemptBody, kw_only=True):
    """A call to the outside world: about to begin, done, or taken back."""

    verb: Literal["intend", "settle", "retract"]
    name: Name
    result: str | None = None
    """JSON text, when it is settled."""
    args_digest: Name | None = None  # of a node that is about to begin it


class EffectState(_Told, frozen=True, kw_only=True):
    """What the ledger knows of it."""

    is_new: bool = False
    is_settled: bool = False
    result: str | None = None
    key_run: str | None = None  # that its key is made of, if it is an earlier one


class SuccessState(_Told, frozen=True, kw_only=True):
    """The last success of the schedule that started a run."""

    at: int | None = None
    result: str | None = None


class Done(_Told, frozen=True, kw_only=True):
    """It is on record."""

    worker_id: str
