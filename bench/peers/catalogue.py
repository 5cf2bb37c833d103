"""The peers: how each is installed and started, and its counterpart.

Submits of a peer are in scripts/NAME_driver.py, its jobs in scripts/NAME_worker.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.peers.measures import WORKERS

Backend = Literal["sqlite", "postgres", "redis"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One row of the table."""

    name: str
    title: str
    script: str
    """The prefix of its two scripts."""
    backend: Backend
    worker: tuple[str, ...]
    """The command in the bin folder of its venv, and its arguments; `{url}` is the store."""
    commands: int
    """How often the command is started to get WORKERS working processes."""
    jobs: int
    """Jobs of the bulk and end-to-end measures: about two seconds of its work."""
    requires: tuple[str, ...] = ()
    """The packages of its venv; empty: it runs in the venv of this process."""
    versions_of: tuple[str, ...]
    against: str
    """The row of Rota that its ratios refer to."""
    note: str


def _rota(backend: Backend, title: str, note: str) -> Peer:
    return Peer(
        name=f"rota-{backend}",
        title=f"Rota ({title})",
        script="rota",
        backend=backend,
        worker=("rota", "worker", "rota_worker:app", "--url", "{url}"),
        commands=WORKERS,
        jobs=20_000,
        versions_of=("rota",),
        against=f"rota-{backend}",
        note=note,
    )


PEERS = (
    _rota("sqlite", "SQLite", "synchronous=FULL, results stored, fenced finishes"),
    _rota("postgres", "PostgreSQL", "fsync on, results stored, fenced finishes"),
    Peer(
        name="pgqueuer",
        title="PgQueuer (PostgreSQL)",
        script="pgqueuer",
        backend="postgres",
        worker=("python", "-m", "pgqueuer_worker"),
        commands=WORKERS,
        jobs=20_000,
        requires=("pgqueuer[asyncpg]~=1.6",),
        versions_of=("pgqueuer", "asyncpg"),
        against="rota-postgres",
        note="fsync on, batch size 100 (default: 10), async jobs, stores no results",
    ),
    Peer(
        name="huey",
        title="Huey (SQLite)",
        script="huey",
        backend="sqlite",
        worker=(
            *("huey_consumer", "huey_worker.huey"),
            *("--workers", str(WORKERS), "--worker-type", "process", "--quiet"),
        ),
        commands=1,
        jobs=3_000,
        requires=("huey~=3.5",),
        versions_of=("huey",),
        against="rota-sqlite",
        note="synchronous=FULL, polls (0.1 s, backing off), no bulk call, stores no empty result",
    ),
    Peer(
        name="celery",
        title="Celery (Redis)",
        script="celery",
        backend="redis",
        worker=(
            *("celery", "--app", "celery_worker", "worker"),
            *("--concurrency", str(WORKERS), "--loglevel", "WARNING"),
        ),
        commands=1,
        jobs=2_000,
        requires=("celery[redis]~=5.7",),
        versions_of=("celery", "redis"),
        against="rota-postgres",
        note="Redis without persistence: not durable; results in Redis; bulk is a group",
    ),
    Peer(
        name="taskiq",
        title="taskiq (Redis)",
        script="taskiq",
        backend="redis",
        worker=(
            *("taskiq", "worker", "taskiq_worker:broker"),
            *("--workers", str(WORKERS), "--log-level", "WARNING"),
        ),
        commands=1,
        jobs=3_000,
        requires=("taskiq~=0.13", "taskiq-redis~=1.2"),
        versions_of=("taskiq", "taskiq-redis"),
        against="rota-postgres",
        note="Redis without persistence: not durable; results in Redis; async jobs, no bulk call",
    ),
)
