"""The rules of a run's life in plain Python, to compare the stores with.

Written from the promises, not from the statements; it knows one namespace and one job.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rota.clock import Moment
from rota.model.runs.run import Lease, NewRun, RunView
from rota.model.states import FINAL, State

CREDIT_MS = 60_000
MAX_LOSSES = 10
"""Workers that may die while one run is the only suspect."""
SLOTS = 8
ENDINGS = {"succeed": State.SUCCESS, "fail": State.FAILED, "abort": State.CANCELLED}


@dataclass
class ModelRun:
    """What people can see of a run, and two things they cannot: rank and expiry."""

    id: str
    queue: str
    priority: int
    state: State
    created_at: int
    due_at: int
    ready_at: int
    at_most_once: bool
    key: str | None
    args: str
    expires_at: int | None
    rank: int | None
    rerun_of: str | None = None
    attempt: int = 0
    failures: int = 0
    crashes: int = 0
    lone_losses: int = 0
    fence: int = 0
    worker_id: str | None = None
    started_at: int | None = None
    finished_at: int | None = None
    cancel_requested: bool = False
    result: str | None = None
    reason: str | None = None
    attempts: list[tuple[int, str]] = field(default_factory=list)

    def seen(self) -> dict[str, object]:
        """The facts that `observed` tells of the real run."""
        shown = {name: getattr(self, name) for name in SEEN}
        shown["cancel_requested"] = self.cancel_requested and self.state not in FINAL
        return shown


SEEN = (
    "id", "queue", "priority", "state", "created_at", "due_at", "ready_at", "at_most_once", "key",
    "args", "rerun_of", "attempt", "failures", "crashes", "fence", "worker_id", "started_at",
    "finished_at", "result", "reason", "cancel_requested",
)  # fmt: skip


REASONS = ("lost: ", "expired: ", "quarantined: ")
"""How the reasons begin that the engine words itself."""


def observed(run: RunView) -> dict[str, object]:
    facts = {name: getattr(run, name) for name in SEEN}
    shown = {name: it.ms if isinstance(it, Moment) else it for name, it in facts.items()}
    worded = (start for start in REASONS if (run.reason or "").startswith(start))
    return shown | {"reason": next(worded, run.reason)}


class Model:
    """All runs, keys and workers, and what each verb does to them."""

    def __init__(self) -> None:
        self.runs: dict[str, ModelRun] = {}
        self.keys: dict[str, tuple[str, str, int]] = {}
        self.workers: dict[str, int] = {}

    def submit(self, asked: NewRun, now: int) -> tuple[str, bool, bool]:
        """The id, whether it is new, whether it was refused."""
        if asked.key is not None:
            owner = self.keys.get(asked.key)
            if owner is not None and owner[2] > now:
                return owner[0], False, owner[1] != asked.args
            self.keys[asked.key] = (asked.id, asked.args, now + asked.key_window_ms)
        due = now + (asked.delay_ms or 0)
        self.runs[asked.id] = ModelRun(
            id=asked.id,
            queue=asked.queue,
            priority=asked.priority,
            state=State.SCHEDULED if due > now else State.QUEUED,
            created_at=now,
            due_at=due,
            ready_at=due,
            at_most_once=asked.at_most_once,
            key=asked.key,
            args=asked.args,
            expires_at=None if asked.expires_ms is None else due + asked.expires_ms,
            rank=None if due > now else now - CREDIT_MS * asked.priority,
            rerun_of=asked.rerun_of,
        )
        return asked.id, True, False

    def claim(self, worker_id: str, queues: list[str], limit: int, now: int) -> list[ModelRun]:
        taken: list[ModelRun] = []
        for queue in queues:
            able = [
                run
                for run in self.runs.values()
                if run.state is State.QUEUED
                and run.queue == queue
                and (run.expires_at is None or run.expires_at > now)
            ]
            taken += sorted(able, key=_place)[: limit - len(taken)]
        for run in taken:
            run.state, run.worker_id, run.started_at = State.RUNNING, worker_id, now
            run.attempt += 1
            run.fence += 1
        return taken

    def finish(self, lease: Lease, verb: str, delay_ms: int, now: int) -> bool:
        """Whether the verdict took effect, now or when it was sent before."""
        run = self.runs[lease.run_id]
        if run.fence != lease.fence or run.state is not State.RUNNING:
            return run.fence == lease.fence and self._was_applied(run, verb)
        if verb in ("retry", "fail"):
            run.failures += 1
            run.attempts.append((run.attempt, "error"))
        if verb in ENDINGS:
            stops = verb == "abort" and run.cancel_requested
            self._end(run, ENDINGS[verb], now, reason="cancelled" if stops else None)
            run.result = "1" if verb == "succeed" else None
        elif run.cancel_requested:
            if verb == "release":
                run.attempts.append((run.attempt, "cancelled"))
            self._end(run, State.CANCELLED, now, reason="cancelled")
        elif verb == "retry":
            run.state, run.ready_at, run.rank = State.SCHEDULED, now + delay_ms, None
            run.worker_id = run.expires_at = None
        else:
            run.attempt -= 1
            self._requeue(run)
        return True

    @staticmethod
    def _was_applied(run: ModelRun, verb: str) -> bool:
        """Whether the run ended as this verdict wants; what is not given back is aborted."""
        wanted = ENDINGS.get(verb, State.CANCELLED)
        reason = None if verb in ENDINGS else "cancelled"
        was_aborted = wanted is State.CANCELLED and run.worker_id is not None
        return run.state is wanted and (run.reason == reason or was_aborted)

    def reap(self, now: int, worker_id: str | None = None) -> int:
        orphans = [run for run in self.runs.values() if self._is_orphan(run, now, worker_id)]
        suspects = self._suspects(orphans)
        blamed = [run for run in orphans if worker_id is not None and run.crashes]
        if len(blamed) == 1:
            blamed[0].lone_losses += 1
        for run in orphans:
            if run.id not in suspects:
                self._give_back(run, now)
                continue
            run.crashes += 1
            run.attempts.append((run.attempt, "lost"))
            if run.at_most_once:
                self._end(run, State.FAILED, now, reason="lost: ")
            elif run in blamed and run.lone_losses >= MAX_LOSSES:
                self._end(run, State.FAILED, now, reason="quarantined: ")
            elif run.cancel_requested:
                self._end(run, State.CANCELLED, now, reason="cancelled")
            else:
                run.expires_at = None
                self._requeue(run)
        busy = {run.worker_id for run in self.runs.values() if run.state is State.RUNNING}
        self.workers = {
            worker: until for worker, until in self.workers.items() if until > now or worker in busy
        }
        return len(orphans)

    def _suspects(self, orphans: list[ModelRun]) -> set[str]:
        """Of each dead worker the first SLOTS claimed, and who crashed before or runs once."""
        held: dict[str | None, list[ModelRun]] = {}
        for run in sorted(orphans, key=lambda run: (run.started_at, *_place(run))):
            held.setdefault(run.worker_id, []).append(run)
        first = {run.id for runs in held.values() for run in runs[:SLOTS]}
        if_known = {run.id for run in orphans if run.worker_id in self.workers}
        sure = {run.id for run in orphans if run.crashes or run.at_most_once}
        return {run.id for run in orphans if run.id not in if_known} | first | sure

    def _give_back(self, run: ModelRun, now: int) -> None:
        if run.cancel_requested:
            run.attempts.append((run.attempt, "cancelled"))
            self._end(run, State.CANCELLED, now, reason="cancelled")
            return
        run.attempt -= 1
        self._requeue(run)

    def cancel(self, run_id: str, now: int) -> State | None:
        """The answer, or None where it is refused."""
        run = self.runs[run_id]
        if run.state is State.RUNNING:
            run.cancel_requested = True
        elif run.state not in FINAL:
            self._end(run, State.CANCELLED, now, reason="cancelled")
        return run.state if run.state in (State.RUNNING, State.CANCELLED) else None

    def promote(self, now: int) -> int:
        due = [
            run
            for run in self.runs.values()
            if run.state is State.SCHEDULED and run.ready_at <= now
        ]
        for run in due:
            run.state, run.rank = State.QUEUED, run.ready_at - CREDIT_MS * run.priority
        return len(due)

    def next_in_ms(self, now: int) -> int | None:
        waits = [r.ready_at - now for r in self.runs.values() if r.state is State.SCHEDULED]
        return min(waits, default=None)

    def expire(self, now: int) -> int:
        late = [
            run
            for run in self.runs.values()
            if run.state is State.QUEUED and run.expires_at is not None and run.expires_at <= now
        ]
        for run in late:
            self._end(run, State.FAILED, now, reason="expired: ")
        return len(late)

    def holds(self, lease: Lease) -> bool:
        run = self.runs[lease.run_id]
        return run.state is State.RUNNING and run.fence == lease.fence

    def copy_for_rerun(self, run_id: str, fresh_id: str, now: int) -> bool:
        old = self.runs[run_id]
        if old.state not in FINAL:
            return False
        fresh = NewRun(
            id=fresh_id, job="noop", version=1, queue=old.queue, priority=old.priority,
            args=old.args, at_most_once=old.at_most_once, rerun_of=run_id,
        )  # fmt: skip
        self.submit(fresh, now)
        return True

    def _is_orphan(self, run: ModelRun, now: int, worker_id: str | None) -> bool:
        if run.state is not State.RUNNING or run.worker_id is None:
            return False
        if worker_id is not None:
            return run.worker_id == worker_id
        return self.workers.get(run.worker_id, now) <= now

    @staticmethod
    def _requeue(run: ModelRun) -> None:
        run.state, run.worker_id, run.started_at = State.QUEUED, None, None

    @staticmethod
    def _end(run: ModelRun, state: State, now: int, *, reason: str | None) -> None:
        run.state, run.finished_at, run.reason = state, now, reason


def _place(run: ModelRun) -> tuple[int, str]:
    assert run.rank is not None
    return run.rank, run.id


def frozen(run: ModelRun) -> ModelRun:
    return replace(run, attempts=list(run.attempts))
