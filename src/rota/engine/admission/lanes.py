"""Lanes: move runs that cannot start out of the way of those behind them in their queue."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rota.engine.admission.active_holds import ActiveHolds, active_holds
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.runs.argument_mismatch import Lane, stranded
from rota.engine.wakeup_keys import windows_key
from rota.rules.admission.lanes import SPAN, fit_lane_of, is_fit_lane, jobs_in, lane_of
from rota.store.base import Tx

IN_THE_WAY = 500
"""Fewer runs than this at the head of a queue that some worker cannot start are quickly passed."""
HEAD = 5_000
"""The number of runs at the head of a queue that are examined, and moved, at once."""
NO_FUNCTIONS: Mapping[str, str] = MappingProxyType({})


def lanes_in_use(
    tx: Tx,
    *,
    namespace: str,
    queues: Sequence[str],
    jobs: Sequence[str],
    takes: Mapping[str, str] = NO_FUNCTIONS,
) -> dict[str, dict[int, list[str]]]:
    """Return the lanes of these queues in which runs of these jobs may wait; mostly there are none.

    `takes` maps a job to what its function takes, for a caller that has the code.
    """
    names = json.dumps([{"name": queue} for queue in queues])
    used: dict[str, set[int]] = {}
    for row in tx.all("lanes_in_use", namespace=namespace, batch=names, span=SPAN):
        used.setdefault(row["queue"], set()).add(row["lane"])
    mine = {queue: jobs_in(lanes, jobs) for queue, lanes in used.items()}
    apart = [(queue, lane) for queue in used for lane in used[queue] if is_fit_lane(lane)]
    if apart:
        for (queue, lane), job_names in _fitting(tx, apart, jobs, takes, namespace).items():
            mine[queue][lane] = job_names
    return {queue: lanes for queue, lanes in mine.items() if lanes}


def _fitting(
    tx: Tx, lanes: Sequence[Lane], jobs: Sequence[str], takes: Mapping[str, str], namespace: str
) -> dict[Lane, list[str]]:
    """Return the lanes that fit these functions, and lanes whose runs no function fits."""
    own: dict[int, list[str]] = {}
    for job, digest in takes.items():
        own.setdefault(fit_lane_of(job, digest), []).append(job)
    lanes_found = {at: own[at[1]] for at in lanes if at[1] in own}
    rest = [at for at in lanes if at not in lanes_found]
    if rest:
        lost = stranded(tx, rest, jobs, namespace=namespace)
        lanes_found |= {at: [job] for at, job in lost.items()}
    return lanes_found


class Obstacle(NamedTuple):
    """A job whose runs stand at the head of a queue although not every worker can start them."""

    namespace: str
    queue: str
    job: str


def obstacles(tx: Tx) -> list[Obstacle]:
    """Return the obstacles in every queue that a worker serves."""
    return [
        obstacle
        for namespace, queues in _served(tx).items()
        for obstacle in _obstacles(tx, namespace, sorted(queues))
    ]


def move_to_lane(tx: Tx, obstacle: Obstacle) -> int:
    """Move the runs of a job at the head of its queue into its lane; return how many."""
    shift = lane_of(obstacle.job) * SPAN
    moved = tx.execute("move_to_lane", **obstacle._asdict(), shift=shift, limit=HEAD)
    if moved:
        tx.notify((windows_key(obstacle.namespace),))
    return moved


def _served(tx: Tx) -> dict[str, set[str]]:
    served: dict[str, set[str]] = {}
    for row in tx.all("queues_served"):
        served.setdefault(row["namespace"], set()).update(json.loads(row["queues"]))
    return served


def _obstacles(tx: Tx, namespace: str, queues: Sequence[str]) -> Iterator[Obstacle]:
    around: ActiveHolds | None = None
    for queue in queues:
        head = tx.all("jobs_in_front", namespace=namespace, queue=queue, limit=HEAD)
        if sum(row["runs"] for row in head) < IN_THE_WAY:
            continue
        around = around or active_holds(tx, namespace=namespace)
        stuck = _stuck(tx, [row["job"] for row in head], namespace)
        in_the_way = [
            row
            for row in head
            if row["job"] in stuck or around.is_in_the_way(job=row["job"], queue=queue)
        ]
        if sum(row["runs"] for row in in_the_way) >= IN_THE_WAY:
            yield from (Obstacle(namespace, queue, row["job"]) for row in in_the_way)


def _stuck(tx: Tx, jobs: Sequence[str], namespace: str) -> set[str]:
    reports = [hold.stuck for hold in HOLDS if hold.stuck is not None]
    return {job for stuck in reports for job in stuck(tx, jobs, namespace)}
