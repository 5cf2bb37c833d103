"""Settings of a worker; the defaults live here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rota.engine.prune import Retention
from rota.model.logs.log import LogChunk
from rota.model.runs.run import Lease
from rota.model.workers.sandbox import Egress, Programs
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.runtime.attempts.attempt import ResolvedJob


class WorkerScope(msgspec.Struct, frozen=True, kw_only=True):
    """The scope of a worker: the queues it serves and the jobs it knows."""

    namespace: str
    queues: tuple[str, ...]
    jobs: tuple[str, ...]
    find_work: Callable[[Lease], ResolvedJob]
    facts: dict[str, ClaimFacts] = {}
    """Facts about how runs of the jobs begin, in the versions that this worker knows."""
    versions: dict[str, int] = {}
    """The versions that `facts` are of; the facts of other versions are looked up."""
    takes: dict[str, str] = {}
    """The arguments that functions of our own code take, by job (rules.jobs.accepted_arguments)."""
    all_queues: bool = False
    """Whether stored jobs bring their queues along; not when queues were named."""


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one worker process."""

    queues: tuple[str, ...] = ()
    """Queues to serve, in turn; empty means the queues of all jobs the app defines."""
    slots: int = 8
    """How many runs are carried out at once."""
    prefetch: int = 500
    """Most runs to hold ready beyond the slots; used only while runs last up to some 50 ms."""
    name: str = ""
    lease_ms: int = 20_000
    heartbeat_ms: int = 4_000
    margin_ms: int = 4_000
    """Stop our own work this long before the lease expires if it cannot be renewed."""
    drain_ms: int = 25_000
    """After TERM: how long running handlers may take to end."""
    grace_ms: int = 5_000
    """How long a handler that was asked to stop may take until it is left behind.

    Processes and commands are killed after half of it.
    """
    poll_ms: int = 1_000
    """How often to look without being woken: wake-ups are only hints."""
    stored: bool = False
    """Whether to carry out jobs that only the store defines: commands, requests, functions.

    Everybody who may write to the store then decides what this machine runs.
    """
    decides: bool = False
    """Whether a person starts it, so that code which was replaced counts as the newest again.

    On SQLite, when no other worker lives; otherwise use `rota releases use`.
    """
    egress: Egress = Egress()
    programs: Programs = Programs()
    chores: bool = True
    """Whether this process promotes, reaps, expires and prunes."""
    retention: Retention = Retention()
    alert_webhook: str = ""
    """The URL to which a process that does chores posts alerts; empty for none."""
    alert_private: bool = False
    """Whether alerts may go to addresses inside our own network."""
    anchor: str = ""
    """The place where a process that does chores writes the heads of the audit chains."""
    anchor_every_ms: int = 60_000
    anchor_key: str = ""
    """The key that signs anchors; empty for no signature."""
    echo: Callable[[LogChunk], None] | None = None
    """Called with masked output and log records of handlers, by the thread that stores them."""
