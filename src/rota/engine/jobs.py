"""Jobs: definitions as immutable versions; the same definition is the same version."""

from __future__ import annotations

import hashlib

import msgspec

from rota.engine.breakers import set_rule
from rota.model.breaker import CircuitState
from rota.model.spec import JobSpec
from rota.store.base import Tx

_spec = msgspec.json.Decoder(JobSpec)


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as people see it: its current version."""

    name: str
    version: int
    spec: JobSpec
    created_at: int
    breaker: CircuitState | None = None
    """Where its breaker stands, if it has one or is held back by hand."""


def define(tx: Tx, spec: JobSpec, *, namespace: str) -> int:
    """Make this definition the current one; returns its version."""
    text = msgspec.json.encode(spec).decode()  # in the order of the code, for its parameters
    same = msgspec.json.encode(spec, order="deterministic")
    digest = hashlib.blake2b(same, digest_size=16).hexdigest()
    at = {"namespace": namespace, "name": spec.name, "digest": digest}
    row = tx.one("find_version", **at)
    while row is None:
        # Another process may bring a different change at the same moment and take the number.
        tx.execute("insert_version", spec=text, **at)
        row = tx.one("find_version", **at)
    version = int(row["version"])
    tx.execute("set_current_version", namespace=namespace, name=spec.name, version=version)
    set_rule(tx, spec, namespace=namespace)
    return version


def spec_of(tx: Tx, name: str, version: int, *, namespace: str) -> JobSpec | None:
    """The definition that runs of this version are pinned to."""
    row = tx.one("load_spec", namespace=namespace, name=name, version=version)
    return _spec.decode(row["spec"]) if row else None


def jobs(tx: Tx, *, namespace: str) -> list[JobView]:
    """All jobs on record, by name."""
    return [
        JobView(
            name=row["name"],
            version=row["version"],
            spec=_spec.decode(row["spec"]),
            created_at=row["created_at"],
            breaker=row["breaker"],
        )
        for row in tx.all("list_jobs", namespace=namespace)
    ]
