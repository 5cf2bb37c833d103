"""Heartbeat: a worker reports that it is alive, and learns what it has lost or must stop."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.graphs.nodes.links import parent_fields
from rota.store.base import Tx


class HeldLease(msgspec.Struct, frozen=True):
    """A lease that the worker believes it holds."""

    run_id: str
    fence: int
    parent_id: str | None = None
    """For a stray run of a node: the run of its graph."""
    node: str | None = None
    item: int | None = None


class HandlerProgress(msgspec.Struct, frozen=True):
    """The progress that a running handler reports."""

    run_id: str
    fence: int
    fraction: float
    note: str


class HeartbeatReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a heartbeat."""

    is_known: bool
    """False if the worker was given up and must register anew."""
    lost: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    strays: tuple[HeldLease, ...] = ()
    """Runs claimed for the worker that it never received; it must give them back."""
    recalls: bool = False
    """Whether some prefetched runs must not begin because their queue or job was stopped."""
    drains: bool = False
    """Whether a person wants it to take no new runs until further notice."""


def heartbeat(  # noqa: PLR0913  # what a worker says of itself, all named
    tx: Tx,
    worker_id: str,
    *,
    lease_ms: int,
    held: Sequence[HeldLease],
    progress: Sequence[HandlerProgress] = (),
    running: int | None = None,
    left_behind: int = 0,
    is_draining: bool = False,
    presence: str | None = None,
) -> HeartbeatReply:
    """Renew the worker's lease on all its runs with one row, and check each run by its fence.

    `running` is how many of the runs have begun; None means all of them.
    """
    renewed = tx.all(
        "extend_lease",
        id=worker_id,
        lease_ms=lease_ms,
        running=len(held) if running is None else running,
        left_behind=left_behind,
        is_draining=is_draining,
        presence=presence,
    )
    if not renewed:
        return HeartbeatReply(is_known=False, lost=tuple(each.run_id for each in held))
    if progress:
        tx.execute("note_progress", batch=msgspec.json.encode(progress).decode())
    batch = msgspec.json.encode(held).decode()
    strays = tx.all("stray_runs", id=worker_id, lease_ms=lease_ms, batch=batch)
    pulse = changes(tx, held)
    return msgspec.structs.replace(
        pulse,
        drains=bool(renewed[0]["drain_asked"]),
        strays=tuple(
            HeldLease(str(row["run_id"]), row["fence"], **parent_fields(row)) for row in strays
        ),
    )


def changes(tx: Tx, held: Sequence[HeldLease]) -> HeartbeatReply:
    """The changes to the leases; only reads, so it may be called often."""
    if not held:
        return HeartbeatReply(is_known=True)
    rows = tx.all("held_changes", batch=msgspec.json.encode(held).decode())
    return HeartbeatReply(
        is_known=True,
        lost=tuple(str(row["run_id"]) for row in rows if row["is_lost"]),
        cancelled=tuple(str(row["run_id"]) for row in rows if row["cancel_requested"]),
        recalls=any(row["is_recalled"] for row in rows),
    )
