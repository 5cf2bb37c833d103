"""Heartbeat: a worker says that it lives, and learns what it has lost or must stop."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.graphs.nodes.links import parent_fields
from rota.store.base import Tx


class HeldLease(msgspec.Struct, frozen=True):
    """A lease as the worker believes to hold it."""

    run_id: str
    fence: int
    parent_id: str | None = None
    """Of a stray that carries out a node: the run of its graph."""
    node: str | None = None
    item: int | None = None


class HandlerProgress(msgspec.Struct, frozen=True):
    """How far a running handler says it is."""

    run_id: str
    fence: int
    fraction: float
    note: str


class HeartbeatReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a heartbeat."""

    is_known: bool
    """False: the worker was given up and must register anew."""
    lost: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    strays: tuple[HeldLease, ...] = ()
    """Runs it was given without ever hearing of them; it must give them back."""
    recalls: bool = False
    """Some of what it holds ready must not begin: its queue or its job was stopped."""
    drains: bool = False
    """Somebody wants it to take nothing new until further notice."""


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
    """Renew the worker's lease on all its runs with one row, and check each by its fence.

    `running` is how many of them have begun; one that does not say has begun all.
    """
    known = tx.all(
        "extend_lease",
        id=worker_id,
        lease_ms=lease_ms,
        running=len(held) if running is None else running,
        left_behind=left_behind,
        is_draining=is_draining,
        presence=presence,
    )
    if not known:
        return HeartbeatReply(is_known=False, lost=tuple(each.run_id for each in held))
    if progress:
        tx.execute("note_progress", batch=msgspec.json.encode(progress).decode())
    batch = msgspec.json.encode(held).decode()
    strays = tx.all("stray_runs", id=worker_id, lease_ms=lease_ms, batch=batch)
    pulse = changes(tx, held)
    return msgspec.structs.replace(
        pulse,
        drains=bool(known[0]["drain_asked"]),
        strays=tuple(
            HeldLease(str(row["run_id"]), row["fence"], **parent_fields(row)) for row in strays
        ),
    )


def changes(tx: Tx, held: Sequence[HeldLease]) -> HeartbeatReply:
    """What has become of the leases; reads only, so that it may be asked often."""
    if not held:
        return HeartbeatReply(is_known=True)
    rows = tx.all("held_changes", batch=msgspec.json.encode(held).decode())
    return HeartbeatReply(
        is_known=True,
        lost=tuple(str(row["run_id"]) for row in rows if row["is_lost"]),
        cancelled=tuple(str(row["run_id"]) for row in rows if row["cancel_requested"]),
        recalls=any(row["is_recalled"] for row in rows),
    )
