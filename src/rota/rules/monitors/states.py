"""The states of a monitor: what each ping changes, and what time alone changes.

Whoever pings tells of a start, a success, a failure or a line of log. A monitor is down when a ping
is missing for longer than the grace time, when a start has no end within it, and at once after a
failure. Only a success brings it up again.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from rota.model.monitors.monitor import MonitorFacts, MonitorState, PingFacts

NextPing = Callable[[int], int | None]
"""Returns when the ping after one at this instant is expected."""


def state_of(facts: MonitorFacts, now: int) -> MonitorState:
    """Return the state at this instant."""
    if facts.status == "paused":
        return "paused"
    if facts.down_at is not None and facts.down_at <= now:
        return "down"
    if facts.started_at is not None:
        return "started"
    if facts.status == "new":
        return "new"
    return "late" if facts.expected_at is not None and facts.expected_at <= now else "up"


def after_ping(
    facts: MonitorFacts,
    ping: PingFacts,
    now: int,
    *,
    following: NextPing,
    grace_ms: int,
    manual_resume: bool = False,
) -> MonitorFacts:
    """Return what is known after a ping; a line of log, and a pause that stays, change nothing."""
    if ping.kind == "log" or (facts.status == "paused" and manual_resume):
        return facts
    if ping.kind == "start":
        return _started(facts, ping, now, grace_ms)
    goes_on = _goes_on(facts, ping)
    ended = MonitorFacts(
        status="up" if ping.kind == "success" else "failed",
        last_at=now,
        started_at=facts.started_at if goes_on else None,
        started_rid=facts.started_rid if goes_on else None,
    )
    return with_times(ended, following=following, grace_ms=grace_ms)


def _started(facts: MonitorFacts, ping: PingFacts, now: int, grace_ms: int) -> MonitorFacts:
    if facts.status == "paused":
        facts = MonitorFacts(last_at=facts.last_at)
    end_by = now + grace_ms
    down_at = end_by if facts.down_at is None else min(facts.down_at, end_by)
    return replace(facts, started_at=now, started_rid=ping.rid, down_at=down_at)


def _goes_on(facts: MonitorFacts, ping: PingFacts) -> bool:
    """Whether the run that was started goes on, because this success is that of another one."""
    is_other = ping.rid is not None and ping.rid != facts.started_rid
    return ping.kind == "success" and facts.started_at is not None and is_other


def with_times(facts: MonitorFacts, *, following: NextPing, grace_ms: int) -> MonitorFacts:
    """Return the facts with the times that follow from them and from a definition."""
    if facts.status == "paused":
        return replace(facts, expected_at=None, down_at=None)
    last_at = None if facts.status == "new" else facts.last_at
    expected_at = None if last_at is None else following(last_at)
    limits = [at + grace_ms for at in (facts.started_at, expected_at) if at is not None]
    down_at = last_at if facts.status == "failed" else min(limits, default=None)
    return replace(facts, expected_at=expected_at, down_at=down_at)


def paused(facts: MonitorFacts) -> MonitorFacts:
    """Return the facts of a monitor from which nothing is expected."""
    return MonitorFacts(status="paused", last_at=facts.last_at)


def resumed(facts: MonitorFacts) -> MonitorFacts:
    """Return the facts of a monitor that waits for its next ping, however long it takes."""
    return MonitorFacts(status="new", last_at=facts.last_at)


def duration_ms(facts: MonitorFacts, ping: PingFacts, now: int) -> int | None:
    """Return how long the run took that ends with this ping, if its start is the last one."""
    if ping.kind not in ("success", "fail") or facts.started_at is None:
        return None
    return now - facts.started_at if ping.rid == facts.started_rid else None


def down_reason(facts: MonitorFacts, exit_status: int | None) -> str:
    """Return why a monitor is down, after its name; `exit_status` is that of the last end."""
    if facts.status == "failed":
        return "failed" if exit_status is None else f"ended with exit status {exit_status}"
    started_at = facts.started_at
    if started_at is not None and started_at < (facts.down_at or 0):
        return "has started and not ended in time"
    return "has not pinged in time"


def last_heard(facts: MonitorFacts) -> int | None:
    """Return the instant of the last ping that told of a start or an end."""
    return max((at for at in (facts.last_at, facts.started_at) if at is not None), default=None)
