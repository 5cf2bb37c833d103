"""The messages between a remote worker and a server.

A worker reports how attempts ended. The server decides what that means for their runs, and takes
all other facts about them from the store.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import ErrorDetail, Lease

MOST_RUNS = 1_000
"""The maximum for one claim, one heartbeat or one report."""
MOST_CHUNKS = 2_000
MOST_JOBS = 10_000
LONG_TEXT = 20_000

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=LONG_TEXT)]
RunId = Annotated[str, Meta(min_length=36, max_length=36)]
Token = Annotated[str, Meta(min_length=1, max_length=2_000)]
Fence = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class WorkerMessage(
    msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A message from the worker; an unknown field is refused by name.

    Unused fields are left out, so that a server of an older version understands the rest.
    """


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A message from the server; fields that an older worker does not know do no harm."""


class RegisterBody(WorkerMessage, kw_only=True):
    """A worker process that has just begun."""

    worker_id: RunId
    """New at each start, made by the worker: sent again, it means the same worker."""
    name: Name
    host: Name
    pid: Count
    version: Name
    slots: Annotated[int, Meta(ge=1, le=1_000)]
    jobs: Annotated[list[Name], Meta(max_length=MOST_JOBS)]
    """The jobs whose code it has."""
    queues: Annotated[list[Name], Meta(max_length=1_000)] | None = None
    """Some of the queues of its token; all of them, if left out."""
    stored: bool = False
    """Whether it also carries out stored jobs: programs, requests, functions it imports."""
    replaces: Annotated[list[RunId], Meta(max_length=1_000)] = []
    """Workers of the same token that are known to be dead: their runs are given back at once."""


class Registered(ServerMessage, frozen=True, kw_only=True):
    """The facts that a worker has to know after it registered."""

    worker_id: str
    namespace: str
    queues: tuple[str, ...]
    lease_ms: int
    """Milliseconds after its last heartbeat until its runs are given to others."""
    heartbeat_ms: int
    unknown_jobs: tuple[str, ...] = ()
    """Jobs that are not defined here: it will get no runs of them."""
    hears_begins: bool = False
    """Whether the server understands when handlers began, and claims ahead of free slots."""
    tells_strays: bool = False
    """Whether the server lists runs as `strays`, and waits for the worker's report on them."""
    hears_takes: bool = False
    """Whether the server understands `takes`, and reports of runs that do not fit the functions."""


class AttemptBody(WorkerMessage, kw_only=True):
    """One attempt of one run, and the proof that it is this worker's."""

    run_id: RunId
    fence: Fence
    token: Token


class ClaimBody(WorkerMessage, kw_only=True):
    """A claim: how many runs the worker could begin now."""

    limit: Annotated[int, Meta(ge=1, le=MOST_RUNS)]
    held: Annotated[list[AttemptBody], Meta(max_length=2 * MOST_RUNS)] | None = None
    """Sent after an answer was lost: all runs that it holds. Other runs it was given go back."""
    hears_strays: bool = False
    """Whether those other runs come as `strays` instead: only the worker knows what it began."""
    ahead: Annotated[int, Meta(ge=0, le=MOST_RUNS)] = 0
    """The number of runs that have no free slot yet, and are held ready."""
    takes: Annotated[dict[Name, Name], Meta(max_length=MOST_JOBS)] | None = None
    """Digests of the parameters of its functions, by job; sent once, and valid until sent again."""


class Stray(ServerMessage, frozen=True, kw_only=True):
    """A run that is on record as the worker's, and that it did not list.

    If it never heard of it, it says that it was stopped without having begun.
    """

    run_id: str
    fence: int
    token: str


class ClaimedRun(ServerMessage, frozen=True, kw_only=True):
    """A run to be carried out; the fields are those of a lease."""

    run_id: str
    fence: int
    token: str
    """The token to send with every message about this attempt."""
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
    """Whether it was claimed ahead of a free slot."""

    @classmethod
    def of(cls, lease: Lease, token: str) -> ClaimedRun:
        """Return the message for a lease."""
        facts = {name: getattr(lease, name) for name in cls.__struct_fields__ if name != "token"}
        return cls(token=token, **facts)

    def lease(self) -> Lease:
        """Return the lease that the worker holds."""
        facts = msgspec.structs.asdict(self)
        del facts["token"]
        return Lease(**facts)


class Definition(ServerMessage, frozen=True, kw_only=True):
    """The version of a job that some of the runs are pinned to."""

    version: int
    origin: str
    """The source of the definition: `code`, `api` or a file."""
    spec: JobSpec


class Claimed(ServerMessage, frozen=True, kw_only=True):
    """Runs, and the definitions they are pinned to."""

    runs: list[ClaimedRun] = []
    definitions: list[Definition] = []
    strays: list[Stray] = []
    draining: bool = False
    """Whether no runs are given out because the worker is draining."""


class ProgressBody(AttemptBody, kw_only=True):
    """The progress that a handler reports."""

    fraction: Annotated[float, Meta(ge=0, le=1)]
    note: Annotated[str, Meta(max_length=600)] = ""


class BegunBody(AttemptBody, kw_only=True):
    """A run that was held ready, and has a slot now."""

    held_ms: Count
    """Milliseconds from the claim until its handler began."""


class HeartbeatBody(WorkerMessage, kw_only=True):
    """A sign of life."""

    held: Annotated[list[AttemptBody], Meta(max_length=2 * MOST_RUNS)] = []
    progress: Annotated[list[ProgressBody], Meta(max_length=2 * MOST_RUNS)] = []
    begun: Annotated[list[BegunBody], Meta(max_length=2 * MOST_RUNS)] = []
    running: Count | None = None
    """The number of handlers that run; if left out, as many as are held."""
    left_behind: Count = 0
    """The number of handlers that did not stop when they were asked to, and go on."""
    draining: bool = False
    stored: bool = False
    hears_strays: bool = False
    """Whether runs that it does not list come as `strays`; otherwise they go back after a lease."""


class Beaten(ServerMessage, frozen=True, kw_only=True):
    """The state of the runs that a worker holds."""

    lost: list[str] = []
    """Runs that the worker lost: stop them, and send nothing more about them."""
    cancelled: list[str] = []
    """Runs that were asked to stop."""
    strays: list[Stray] = []
    recalls: bool = False
    """Whether to give back runs that have not begun: their queue or job was stopped."""
    draining: bool = False
    """Whether to take nothing new until further notice."""


class Rung(ServerMessage, frozen=True, kw_only=True):
    """Whether the worker should ask what has become of its runs."""

    rung: bool


class EndBody(AttemptBody, kw_only=True):
    """The end of an attempt, in one of four ways; the server decides what follows."""

    ending: Literal["returned", "raised", "crashed", "stopped"]
    began: bool = True
    """Whether the handler had begun."""
    held_ms: Count | None = None
    """Milliseconds from the claim until the handler began."""
    left_behind: bool = False
    """Whether the handler did not stop when it was asked to, and goes on."""
    result: str | None = None
    """The result as JSON text, if the handler returned."""
    error: ErrorDetail | None = None
    types: Annotated[list[Text], Meta(max_length=100)] = []
    """The class of the exception and its base classes."""
    retry_after_ms: Count | None = None
    custom_delay_ms: Count | None = None
    """The delay from the retry function of the job; counts only for a job that has one."""
    wants_retry: bool = False
    gives_up: bool = False
    reason: Annotated[str, Meta(max_length=2_000)] | None = None
    why: Literal["timeout", "cancel", "drain", "cut_off"] | None = None
    """The reason why the attempt was stopped."""
    misfit: bool = False
    """Whether the worker has no function that takes its arguments: its code has another version."""


class FinishBody(WorkerMessage, kw_only=True):
    """Attempts that have ended."""

    ended: Annotated[list[EndBody], Meta(min_length=1, max_length=MOST_RUNS)]


class Finished(ServerMessage, frozen=True, kw_only=True):
    """All but these are on record."""

    lost: list[str] = []
    """Runs that had ended before, or that others have: nothing was changed."""


class ChunkBody(AttemptBody, kw_only=True):
    """Lines that follow each other."""

    seq: Annotated[int, Meta(ge=1, le=20_000)]
    first_at: int
    marks: Annotated[str, Meta(max_length=LONG_TEXT)]
    body: Annotated[str, Meta(max_length=65_536)]


class LogsBody(WorkerMessage, kw_only=True):
    """Chunks of output that handlers printed and logged."""

    chunks: Annotated[list[ChunkBody], Meta(min_length=1, max_length=MOST_CHUNKS)]


class Taken(ServerMessage, frozen=True, kw_only=True):
    """The number of chunks that were new, and fitted."""

    chunks: int


class Done(ServerMessage, frozen=True, kw_only=True):
    """It is on record."""

    worker_id: str
