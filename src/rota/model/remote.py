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


class Said(
    msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """From the worker; a field that is not known is refused by name.

    What is not used is left out, so that a server of an older version understands the rest.
    """


class Told(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """From the server; fields that an older worker does not know do no harm."""


class RegisterBody(Said, kw_only=True):
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


class Registered(Told, frozen=True, kw_only=True):
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
    tells_strays: bool = False
    """It tells the worker of runs that it does not seem to know, and waits for its word."""
    hears_takes: bool = False
    """It may be told what the functions of the worker take, and which runs do not fit them."""


class AttemptBody(Said, kw_only=True):
    """One attempt of one run, and the proof that it is this worker's."""

    run_id: RunId
    fence: Fence
    token: Token


class ClaimBody(Said, kw_only=True):
    """How many runs a worker could begin now."""

    limit: Annotated[int, Meta(ge=1, le=MOST_RUNS)]
    held: Annotated[list[AttemptBody], Meta(max_length=2 * MOST_RUNS)] | None = None
    """Said after an answer was lost: all that it holds. What else it was given goes back."""
    hears_strays: bool = False
    """What else it was given is told instead, as `strays`: only the worker knows what it began."""
    ahead: Annotated[int, Meta(ge=0, le=MOST_RUNS)] = 0
    """So many of them have no free slot yet, and are held ready."""
    takes: Annotated[dict[Name, Name], Meta(max_length=MOST_JOBS)] | None = None
    """What its functions take, by job, as digests; said once, and the same until said again."""


class Stray(Told, frozen=True, kw_only=True):
    """A run that is on record as the worker's, and that it did not list.

    If it never heard of it, it says that it was stopped without having begun.
    """

    run_id: str
    fence: int
    token: str


class ClaimedRun(Told, frozen=True, kw_only=True):
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


class Definition(Told, frozen=True, kw_only=True):
    """The version of a job that some of the runs are pinned to."""

    version: int
    origin: str
    """Who brought it: `code`, `api` or a file."""
    spec: JobSpec


class Claimed(Told, frozen=True, kw_only=True):
    """Runs, and the definitions they are pinned to."""

    runs: list[ClaimedRun] = []
    definitions: list[Definition] = []
    strays: list[Stray] = []
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


class HeartbeatBody(Said, kw_only=True):
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
    hears_strays: bool = False
    """Runs that it does not list are told as `strays`; if left out they go back after a lease."""


class Beaten(Told, frozen=True, kw_only=True):
    """What has become of the runs that a worker holds."""

    lost: list[str] = []
    """Others have them now: stop, and say nothing more of them."""
    cancelled: list[str] = []
    """Somebody wants them to stop."""
    strays: list[Stray] = []
    recalls: bool = False
    """Give back what has not begun: its queue or its job was stopped."""
    draining: bool = False
    """Take nothing new until further notice."""


class Rung(Told, frozen=True, kw_only=True):
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
    misfit: bool = False
    """The worker has no function that takes its arguments: its code is of another version."""


class FinishBody(Said, kw_only=True):
    """Attempts that have ended."""

    ended: Annotated[list[EndBody], Meta(min_length=1, max_length=MOST_RUNS)]


class Finished(Told, frozen=True, kw_only=True):
    """All but these are on record."""

    lost: list[str] = []
    """Ended before, or others have them: nothing was changed."""


class ChunkBody(AttemptBody, kw_only=True):
    """Lines that follow each other."""

    seq: Annotated[int, Meta(ge=1, le=20_000)]
    first_at: int
    marks: Annotated[str, Meta(max_length=LONG_TEXT)]
    body: Annotated[str, Meta(max_length=65_536)]


class LogsBody(Said, kw_only=True):
    """What handlers printed and logged."""

    chunks: Annotated[list[ChunkBody], Meta(min_length=1, max_length=MOST_CHUNKS)]


class Taken(Told, frozen=True, kw_only=True):
    """How many chunks were new, and fitted."""

    chunks: int


class Done(Told, frozen=True, kw_only=True):
    """It is on record."""

    worker_id: str
