"""Forget: remove ended runs and definitions of a namespace that served its purpose."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.store.base import Tx


def forget_runs(tx: Tx, run_ids: Sequence[str], *, namespace: str) -> int:
    """Delete those of the runs that have ended; returns how many went."""
    ids = json.dumps(list(run_ids))
    tx.execute("forget_letters", ids=ids, namespace=namespace)
    return tx.execute("forget_runs", ids=ids, namespace=namespace)


def forget_jobs(tx: Tx, *, namespace: str) -> None:
    """Delete all definitions; only for a namespace in which nothing is live."""
    tx.execute("forget_jobs", namespace=namespace)
    tx.execute("forget_versions", namespace=namespace)
    tx.execute("forget_version_changes", namespace=namespace)
    tx.execute("forget_releases", namespace=namespace)
    tx.execute("forget_past_successes", namespace=namespace)
    tx.execute("forget_breakers", namespace=namespace)
