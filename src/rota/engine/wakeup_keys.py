"""The keys of wake-ups: which processes should look at the store after a commit."""

from __future__ import annotations

DUE = "due"
"""The time of the next scheduled run may have changed."""

LOOK = "look"
"""A schedule or a backfill has to be looked at earlier than planned."""

ENDED = "ended"
"""Some run has ended; a caller that waits for a result may look."""

NODE_ENDED = "node"
"""The run of a node has ended. Apart, so that a graph's waiter need not look at each node."""

AWAITED = "awaited"
"""A run waits for runs of other jobs, or one of those has ended."""

LOGGED = "logged"
"""New lines of some run are stored; a reader that follows one may look."""


def queue_key(namespace: str, queue: str) -> str:
    """The key for a run of this queue that can be claimed now."""
    return f"{namespace}/{queue}"


def worker_key(worker_id: str) -> str:
    """The key for a worker that should check what has become of its runs."""
    return f"worker/{worker_id}"


def recall_key(namespace: str) -> str:
    """The key for a stopped queue or job; workers check whether runs held ready may begin."""
    return f"recall:{namespace}"


def jobs_key(namespace: str) -> str:
    """The key for changes of jobs that no code defines; workers that serve them may look."""
    return f"jobs:{namespace}"


def windows_key(namespace: str) -> str:
    """The key for changed maintenance windows or quotas; workers that claim may look."""
    return f"windows:{namespace}"
