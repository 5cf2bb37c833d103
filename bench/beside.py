"""The claim rate beside very many runs that cannot run now: future and finished ones.

One thread calls the operations directly, so that only the tables can make a difference.
"""

from __future__ import annotations

import time
from statistics import median

from bench.backlog import fill
from bench.measures import Figures
from bench.probe import BenchFailed
from bench.shop import make_app
from bench.sizes import CHUNK, Sizes
from rota import App
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.ids import new_id
from rota.model.runs.run import Lease, Verdict
from rota.store.base import Tx

BATCH = 250
PASSES = 5


def measure_beside(empty_url: str, full_url: str, sizes: Sizes) -> Figures:
    """Claim and finish the same number of runs in empty and in full tables, by turns."""
    empty: list[float] = []
    full: list[float] = []
    with make_app(empty_url) as small, make_app(full_url) as big:
        _pass(big, sizes.claims)
        fill(full_url, sizes.backlog)
        _pass(big, sizes.claims)
        _pass(small, sizes.claims)
        for _ in range(PASSES):
            empty.append(_pass(small, sizes.claims))
            full.append(_pass(big, sizes.claims))
    ratio = median(each / other for each, other in zip(full, empty, strict=True))
    return {"claim_empty": median(empty), "claim_full": median(full), "claim_ratio": ratio}


def _pass(app: App, count: int) -> float:
    for at in range(0, count, CHUNK):
        app.jobs["noop"].submit_many([()] * min(CHUNK, count - at))
    begin = time.perf_counter()
    done, leases = 0, _exchange(app, [])
    while leases:
        done += len(leases)
        leases = _exchange(app, leases)
    took = time.perf_counter() - begin
    if done != count:
        raise BenchFailed(f"claimed {done} of {count} runs")
    return count / took


def _exchange(app: App, held: list[Lease]) -> list[Lease]:
    verdicts = [
        Verdict(run_id=lease.run_id, fence=lease.fence, verb="succeed", result="1")
        for lease in held
    ]

    def trade(tx: Tx) -> list[Lease]:
        if verdicts and finish(tx, verdicts, namespace=app.namespace):
            raise BenchFailed("a lease was lost with nobody else there")
        return claim(
            tx,
            namespace=app.namespace,
            queues=("default",),
            jobs='["noop"]',
            worker_id=_WORKER,
            limit=BATCH,
        )

    return app.store.write(trade)


_WORKER = new_id()
