"""Runs and their data: a new run, a lease, a verdict, a view for people."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.runs.labels import Labels
from rota.model.states import State
from rota.model.view import JsonText, Share, View

FinishVerb = Literal[
    "succeed", "retry", "fail", "release", "abort", "reap", "cancel", "expire", "skip",
    "complete", "fail_graph", "refuse",
]  # fmt: skip
StartKind = Literal["time", "manual", "event", "backfill"]
CACHED = "cached from "
"""The beginning of the reason of a run that got a cached result; the run it came from follows."""
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
    """The delay from the submit until the run is due; the database adds its own clock."""
    expires_ms: int | None = None
    """How long the run may wait in its queue before it is given up."""
    at_most_once: bool = False
    policy: str | None = None
    """A PolicyChange as JSON text."""
    key: str | None = None
    """Idempotency key, unique per namespace and job within its window."""
    key_window_ms: int = 7 * 86_400_000
    rerun_of: str | None = None
    schedule_id: str | None = None
    """The schedule it is a run of, which is informed of its end."""
    backfill_id: str | None = None
    origin: str | None = None
    """An Origin as JSON text, for runs of a schedule."""
    waits: bool = False
    """Whether it is pending until its schedule lets it start."""
    parent_id: str | None = None
    """The run of the graph whose node it carries out."""
    node: str | None = None
    item: int | None = None
    """The number of the instance, for a mapped node."""
    labels: Labels | None = None
    """Labels in the form of `read_labels`; a rerun takes over those of its original."""


REPEATED = (
    *("job", "version", "queue", "priority", "args", "policy", "at_most_once"),
    *("schedule_id", "origin"),
)
"""The fields that a rerun and a redrive take over from the run that they repeat."""


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The schedule, and the instant and deadline of a run of it; times are milliseconds."""

    schedule: str
    kind: StartKind
    scheduled_for: int
    interval_start: int | None = None
    interval_end: int | None = None
    zone: str = "UTC"
    """The zone of the schedule, in which days are counted."""
    backfill: str | None = None
    """The id of the backfill that started it."""
    deadline: int | None = None


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one submit: the run that holds the work now."""

    id: str
    is_new: bool = True
    refused: bool = False
    """The key belongs to another payload; `id` is the run that has it."""


class Lease(msgspec.Struct, frozen=True):
    """A worker's right to one attempt of a run, until its heartbeats stop or the fence grows.

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
    """The run of the graph whose node it carries out, which is informed of its end."""
    node: str | None = None
    item: int | None = None
    at_most_once: bool = False
    is_open: bool = False
    """Whether its arguments are incomplete: a large part has to be loaded before it starts."""
    is_asked: bool = False
    """Whether its result is needed inside of transactions, so that it stays in the database."""
    memo_key: str | None = None
    """The key under which its result is cached; `memo_ms` is for how long."""
    memo_ms: int = 0
    is_held: bool = False
    """Whether it was claimed ahead: it may wait for a slot, and is given back if that lasts."""
    held_ms: int = 0
    """Reported to another process: milliseconds from the claim until its handler began."""

    @property
    def is_fired(self) -> bool:
        """Whether a schedule started this run itself, and is informed of its end.

        A node of a graph has the origin of its graph, whose end is the one that counts.
        """
        return self.origin is not None and self.parent_id is None


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The error of an attempt, bounded in size."""

    type: str
    message: str
    traceback: str = ""
    worker: str = ""
    """The name and the host of a lost worker, whose own row is deleted."""
    asked_ms: int = 0
    """The wait that a server or the handler asked for, where the policy allows less."""


NO_TYPE = "RunFailed"
"""The type of a failure without an exception: an expiry, a graph whose nodes failed."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The ending of an attempt, or of a run that waits; applied only while the fence holds."""

    run_id: str
    fence: int
    verb: FinishVerb
    result: str | None = None
    """JSON text, for `succeed`."""
    kind: AttemptKind | None = None
    """The kind of the attempt, when it is worth a row of its own."""
    error: str | None = None
    """An ErrorDetail as JSON text."""
    delay_ms: int = 0
    """The time to wait, for `retry`."""
    reason: str | None = None
    """The reason why a failure is final: retries used up, gave up, expired, lost..."""
    max_crashes: int = 0
    """The number of crashes, with this one, that ends a `reap`ed run. `reason` says how it died."""
    watched: bool = False
    """Whether its end may concern more than the run, a breaker for example."""
    quiet: bool = False
    """Whether its job is known to name no job in `on_failure`."""
    fired: bool = False
    """Whether it is a run of a schedule, which is informed of its end."""
    parent_id: str | None = None
    """The graph run whose node it carries out, which is informed of its end."""
    node: str | None = None
    item: int | None = None
    memo_key: str | None = None
    """The key under which its result is cached; `memo_ms` is for how long."""
    memo_ms: int = 0
    held_ms: int = 0
    """Milliseconds from the claim until the handler began; below zero if it never did."""
    force: bool = False
    """Whether a run of a graph ends at once, without its teardowns."""
    misfit: bool = False
    """Whether a `fail` means that the worker has no function for its arguments; another may."""


class Begun(msgspec.Struct, frozen=True):
    """A run that was held ready and has a slot now."""

    run_id: str
    fence: int
    held_ms: int
    """Milliseconds from the claim until its handler began."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The ending of a run."""

    state: State
    result: str | None
    error: ErrorDetail | None
    reason: str | None


class ErrorView(View, frozen=True, kw_only=True):
    """The error of a run or an attempt."""

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
    """The progress that the handler reports; in percent as JSON."""
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
    """The index of the instance, for a mapped node."""
    schedule: str | None = None
    scheduled_for: Moment | None = None
    """The instant of its schedule that it is for."""
    duration_ms: int | None = None
    """From its start to its end."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
    namespace: str
    ready_at: Moment
    """When it joined its queue last, or will."""
    fence: int = msgspec.field(default=0, name="claim")
    """The number of claims so far; each claim adds one."""
    at_most_once: bool = False
    backfill_id: str | None = None
    origin: JsonText | None = None
    """All of which instant of which schedule it is for: an Origin."""
    policy: JsonText | None = None
    """The policies that its submit changed: a PolicyChange."""
    held: bool = False
    """In a list: the breaker of its job keeps it from being started. Of one run, /why tells."""
    obstacle: str | None = None
    """In a list: what keeps it from being started, if it is queued and something does."""
    tally: dict[str, int] = msgspec.field(default_factory=dict)
    """The number of attempts that ended in an error, a timeout...; in the view of a single run."""
    failure_of: str | None = None
    """The failed run that it tells of, as `onFailure` of that job wants it."""
    on_failure_run: str | None = None
    """The run that reports this failure (`on_failure`); in the view of a single run."""
    paused: bool = False
    """A run of a graph that starts no other nodes until somebody resumes it."""
    labels: Labels = msgspec.field(default_factory=dict)
    deadline: Moment | None = None
    """When it has to have ended, and whether that was missed; in the view of a single run."""
    deadline_missed: bool = False


def cached_from(reason: str | None) -> str | None:
    """Return the run whose result was used, if the reason of a success names one."""
    return reason.removeprefix(CACHED) if reason and reason.startswith(CACHED) else None
