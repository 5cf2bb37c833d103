"""How a worker behaves; the defaults live here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rota.engine.prune import Retention
from rota.model.log import LogChunk
from rota.model.run import Lease
from rota.model.walls import Egress, Programs
from rota.runtime.attempts.attempt import ResolvedJob


class WorkerScope(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker works on: the queues it serves and the jobs it knows."""

    namespace: str
    queues: tuple[str, ...]
    jobs: tuple[str, ...]
    find_work: Callable[[Lease], ResolvedJob]
    graphs: tuple[str, ...] = ()
    """Those of the jobs that are graphs: they begin at the claim and need no slot."""
    dependents: tuple[str, ...] = ()
    """Those of the jobs that depend on others: the first claim holds a run of theirs back."""
    cached: tuple[str, ...] = ()
    """Those of the jobs whose results may be used again: the claim asks whether one is known."""
    max_runs: dict[str, int] = {}
    """Those of the graphs of which only so many runs may be under way at once."""
    versions: dict[str, int] = {}
    """The versions of those jobs whose kind is known: of others it is looked up."""
    takes: dict[str, str] = {}
    """What functions of our own code take, by job (rules.jobs.accepted_arguments)."""
    all_queues: bool = False
    """Whether stored jobs bring their queues along; not when queues were named."""


class WorkerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one worker process."""

    queues: tuple[str, ...] = ()
    """Queues to serve, in turn; empty means the queues of all jobs the app defines."""
    slots: int = 8
    """How many runs are carried out at once."""
    prefetch: int = 500
    """Most runs to hold ready beyond the slots; used only while they last some 50 ms."""
    name: str = ""
    lease_ms: int = 20_000
    heartbeat_ms: int = 4_000
    margin_ms: int = 4_000
    """So long before its lease ends a worker that cannot renew it stops its own work."""
    drain_ms: int = 25_000
    """After TERM: how long running handlers may take to end."""
    grace_ms: int = 5_000
    """After a handler was asked to stop: how long until it is left behind.

    Processes and commands are killed after half of it.
    """
    poll_ms: int = 1_000
    """How often to look without being woken; the truth behind the hints."""
    stored: bool = False
    """Whether to carry out jobs that only the store defines: commands, requests, functions.

    Whoever may write to the store then decides what this machine runs.
    """
    decides: bool = False
    """Whether a person starts it, so that code which was replaced counts as the newest again.

    On SQLite, when no other worker lives; elsewhere that has to be told (`rota releases use`).
    """
    egress: Egress = Egress()
    programs: Programs = Programs()
    chores: bool = True
    """Whether this process promotes, reaps, expires and prunes."""
    retention: Retention = Retention()
    alert_webhook: str = ""
    """Where alerts are posted, by a process that does chores; empty for nowhere."""
    alert_private: bool = False
    """Whether the webhook may be an address inside our own network."""
    anchor: str = ""
    """Where the ends of the audit's chains are noted, by a process that does chores."""
    anchor_every_ms: int = 60_000
    anchor_key: str = ""
    """What anchors are signed with; empty for not at all."""
    echo: Callable[[LogChunk], None] | None = None
    """Called with what handlers print and log, masked, by the thread that stores it."""
