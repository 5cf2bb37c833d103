"""The keys of wake-ups: who should look at the store after a commit."""

from __future__ import annotations

DUE = "due"
"""The time of the next scheduled run may have changed."""

LOOK = "look"
"""A schedule or a backfill has to be looked at earlier than it was known to."""

ENDED = "ended"
"""Some run has ended; whoever waits for a result may look."""

NODE_ENDED = "node"
"""The same for a run of a node. Apart: who waits for a graph need not look at each of its nodes."""

AWAITED = "awaited"
"""A run waits for runs of other jobs, or one of those has ended."""

LOGGED = "logged"
"""New lines of some run are stored; whoever follows one may look."""


def queue_key(namespace: str, queue: str) -> str:
    """A run of this queue can be claimed now."""
    return f"{namespace}/{queue}"


def worker_key(worker_id: str) -> str:
    """This worker should ask what has become of its runs."""
    return f"worker/{worker_id}"


def recall_key(namespace: str) -> str:
    """A queue or a job was stopped; workers ask whether runs that they hold ready may begin."""
    return f"recall:{namespace}"


def jobs_key(namespace: str) -> str:
    """Jobs that no code defines have changed; workers that serve them may look."""
    return f"jobs:{namespace}"


def windows_key(namespace: str) -> str:
    """Maintenance windows or quotas have changed; workers that claim may look."""
    return f"windows:{namespace}"
