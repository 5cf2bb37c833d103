"""Runs and what travels with them: a new run, a lease, a verdict, a view for people."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.states import State
from rota.model.view import JsonText, Share, View

FinishVerb = Literal[
    "succeed", "retry", "fail", "release", "abort", "reap", "cancel", "expire", "skip",
    "complete", "fail_graph", "refuse",
]  # fmt: skip
StartKind = Literal["time", "manual", "event", "backfill"]
CACHED = "cached from "
"""How the reason of a run begins that was given a known result; the run that gave it follows."""
AttemptKind = Literal["error", "timeout", "crash", "lost", "cancelled"]


class NewRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request for one execution; times are milliseconds of the database clock."""

    id: str
    job: str
    version: int
    queue: str = "default"
    priority: int = 0
    args: str = "{}"
    """Keyword arguments as JSON text; SQL never looks into it."""
    due_at: int | None = None
    delay_ms: int | None = None
    """Due so long after the submit; the database adds its own clock."""
    expires_ms: int | None = None
    """May wait so long in the queue before it is given up."""
    at_most_once: bool = False
    policy: str | None = None
    """A PolicyChange as JSON text."""
    key: str | None = None
    """Idempotency key, unique per namespace and job within its window."""
    key_window_ms: int = 7 * 86_400_000
    rerun_of: str | None = None
    schedule_id: str | None = None
    """The schedule it is a run of, which hears of its end."""
    backfill_id: str | None = None
    origin: str | None = None
    """An Origin as JSON text, for runs of a schedule."""
    waits: bool = False
    """Pending until its schedule lets it start."""
    parent_id: str | None = None
    """The run of the graph whose node it carries out."""
    node: str | None = None
    item: int | None = None
    """Which instance, of a mapped node."""


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """Which instant of which schedule a run is for; times are milliseconds."""

    schedule: str
    kind: StartKind
    scheduled_for: int
    interval_start: int | None = None
    interval_end: int | None = None
    zone: str = "UTC"
    """The zone of the schedule, in which days are counted."""
    backfill: str | None = None
    """The id of the backfill that asked for it."""


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one submit: the run that holds the work now."""

    id: str
    is_new: bool = True
    refused: bool = False
    """The key belongs to another payload; `id` is the run that has it."""


class Lease(msgspec.Struct, frozen=True):
    """A worker's right to one attempt of a run, until its heartbeat stops or the fence grows.

    A claim gives the fields up to `at_most_once` in this order.
    """

    run_id: str
    fence: int
    attempt: int
    job: str
    version: int
    queue: str
    args: str
    policy: str | None
    failures: int
    """Attempts that ended in an error or a timeout so far."""
    crashes: int
    """Attempts that ended because their worker or process died."""
    due_at: int
    """When the run was first able to start."""
    claimed_at: int
    origin: str | None = None
    """An Origin as JSON text; None for a run that no schedule started."""
    parent_id: str | None = None
    """The run of the graph whose node it carries out, which hears of its end."""
    node: str | None = None
    item: int | None = None
    at_most_once: bool = False
    is_open: bool = False
    """Its arguments are to be completed before it starts: they hold what was too much to read."""
    is_asked: bool = False
    """Its result is needed inside of transactions, so that it stays in the database."""
    memo_key: str | None = None
    """What its result is to be found by again, and for how long."""
    memo_ms: int = 0
    is_held: bool = False
    """It was claimed ahead: it may have to wait for a slot, and is given back if that lasts."""
    held_ms: int = 0
    """Told to another process: how long after the claim its handler began."""

    @property
    def is_fired(self) -> bool:
        """Whether a schedule started this run itself, and is to hear of its end.

        A node of a graph has the origin of its graph, whose end is the one that counts.
        """
        return self.origin is not None and self.parent_id is None


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong in an attempt, bounded in size."""

    type: str
    message: str
    traceback: str = ""
    worker: str = ""
    """The name and the host of one that was lost: what is on record of it goes."""
    asked_ms: int = 0
    """How long a server or the handler asked to wait, where the policy allows less."""


NO_TYPE = "RunFailed"
"""The type of a failure that no exception stands for: an expiry, a graph whose nodes failed."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How an attempt, or a run that waits, is closed; applied only while the fence holds."""

    run_id: str
    fence: int
    verb: FinishVerb
    result: str | None = None
    """JSON text, for `succeed`."""
    kind: AttemptKind | None = None
    """What kind of attempt this was, when it is worth a row of its own."""
    error: str | None = None
    """An ErrorDetail as JSON text."""
    delay_ms: int = 0
    """For `retry`: how long to wait."""
    reason: str | None = None
    """Why a final failure is final: retries used up, gave up, expired, lost..."""
    max_crashes: int = 0
    """For `reap`: so many crashes, this one too, are the end of it. `reason` says how it died."""
    watched: bool = False
    """Its job may have a breaker, which is to hear of it."""
    quiet: bool = False
    """Its job is known to name no other that is told of its failures."""
    fired: bool = False
    """It is a run of a schedule, which is to hear of its end."""
    parent_id: str | None = None
    """It carries out a node of this run of a graph, which is to hear of its end."""
    node: str | None = None
    item: int | None = None
    memo_key: str | None = None
    """What its result is to be found by again, and for how long."""
    memo_ms: int = 0
    held_ms: int = 0
    """How long after the claim the handler began; below zero if it never did."""
    force: bool = False
    """Of a run of a graph: it ends at once, without its teardowns."""
    misfit: bool = False
    """For `fail`: the worker has no function that takes its arguments; another one may have."""


class Begun(msgspec.Struct, frozen=True):
    """A run that was held ready has a slot now."""

    run_id: str
    fence: int
    held_ms: int
    """How long after the claim its handler began."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    state: State
    result: str | None
    error: ErrorDetail | None
    reason: str | None


class ErrorView(View, frozen=True, kw_only=True):
    """What went wrong in a run or an attempt."""

    type: str
    message: str
    traceback: str = ""


class AttemptView(View, frozen=True, kw_only=True):
    """An attempt that did not succeed."""

    number: int
    kind: str
    """error, timeout, crash, lost or cancelled."""
    fence: int = msgspec.field(name="claim")
    """Tells claims apart; an attempt that was given back has the number of the next one."""
    worker_id: str | None
    started_at: Moment | None
    ended_at: Moment
    error: ErrorView | None


class RunView(View, frozen=True, kw_only=True):
    """A run as people see it, live or from history."""

    id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    version: int
    status: State
    queue: str
    priority: int
    args: JsonText
    attempt: int
    failures: int
    crashes: int
    created_at: Moment
    due_at: Moment
    """When it was first able to start."""
    started_at: Moment | None = None
    finished_at: Moment | None = None
    progress: Share | None = None
    """As far as the handler tells; as JSON in percent."""
    progress_note: str | None = None
    result: JsonText | None = None
    error: ErrorView | None = None
    reason: str | None = None
    cancel_requested: bool = False
    worker_id: str | None = None
    key: str | None = None
    rerun_of: str | None = None
    parent_id: str | None = None
    """The run of the graph whose node it carries out."""
    node: str | None = None
    schedule_id: str | None = None
    state: State
    """Equal to `status`."""
    item: int | None = None
    """Which instance, of a mapped node."""
    schedule: str | None = None
    scheduled_for: Moment | None = None
    """The instant of its schedule that it is for."""
    duration_ms: int | None = None
    """From its start to its end."""
    verbs: tuple[str, ...] = ()
    """What the caller may do to it now."""
    namespace: str
    ready_at: Moment
    """When it joined its queue last, or will."""
    fence: int = msgspec.field(default=0, name="claim")
    """How often it was handed out; grows with each."""
    at_most_once: bool = False
    backfill_id: str | None = None
    origin: JsonText | None = None
    """All of which instant of which schedule it is for: an Origin."""
    policy: JsonText | None = None
    """What its submit changed of the policies of its job: a PolicyChange."""
    held: bool = False
    """In a list: the breaker of its job keeps it from being started. Of one run, /why tells."""
    obstacle: str | None = None
    """In a list: what keeps it from being started, if it is queued and something does."""
    tally: dict[str, int] = msgspec.field(default_factory=dict)
    """Of a single run: how many attempts ended in an error, a timeout..."""
    failure_of: str | None = None
    """The failed run that it tells of, as `onFailure` of that job wants it."""
    on_failure_run: str | None = None
    """Of a single run that failed: the run that was submitted to tell of it."""
    paused: bool = False
    """A run of a graph that starts no other nodes until somebody resumes it."""


def cached_from(reason: str | None) -> str | None:
    """The run whose result was used, if the reason of a success says so."""
    return reason.removeprefix(CACHED) if reason and reason.startswith(CACHED) else None
