"""A table of effects beside ours, and the handler's way to write into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rota.model.runs.run import Lease
from rota.runtime.attempts.services import Address, RunServices
from rota.runtime.attempts.transaction import Transaction
from rota.runtime.values.artifacts import ArtifactStore
from rota.runtime.values.backends import DATABASE
from rota.store.base import Store
from tests.contract.builders import HOME, run_sql

LIMIT_S = 5.0


def make_table(store: Store) -> None:
    run_sql(store.url, "drop table if exists deed")
    run_sql(store.url, "create table deed (run_id text not null, word text)")


def deeds(store: Store) -> list[tuple[Any, ...]]:
    return run_sql(store.url, "select run_id, word from deed order by 1, 2")


def mark(store: Store) -> str:
    """How the driver of the store marks a parameter."""
    return "?" if store.dialect == "sqlite" else "%s"


def desk_of(store: Store, *, namespace: str = HOME) -> RunServices:
    artifact_store = ArtifactStore(lambda: store, None)
    return RunServices(Address(store.url, namespace, DATABASE), lambda: store, artifact_store)


def writes(store: Store, lease: Lease, word: str = "done") -> Callable[[Transaction], str]:
    """An apply that leaves one row, and gives a result."""

    def apply(tx: Transaction) -> str:
        sql = f"insert into deed (run_id, word) values ({mark(store)}, {mark(store)})"
        tx.execute(sql, (lease.run_id, word))
        return '"written"'

    return apply


def commit(store: Store, lease: Lease, apply: Callable[[Transaction], str] | None = None) -> None:
    desk_of(store).commit(lease, apply or writes(store, lease), limit_s=LIMIT_S)
