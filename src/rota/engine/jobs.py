"""Jobs: definitions as immutable versions; the same definition is the same version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection

import msgspec

from rota.engine.breakers import set_rule
from rota.engine.keys import jobs_key
from rota.model.breaker import CircuitState
from rota.model.spec import JobSpec
from rota.store.base import Tx

CODE = "code"

EVERY = 2**31 - 1
"""No limit."""

_spec = msgspec.json.Decoder(JobSpec)
_weights = msgspec.json.Decoder(dict[int, int])


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as people see it: its current version."""

    name: str
    version: int
    spec: JobSpec
    created_at: int
    origin: str = CODE
    """Who brought the definition: `code`, `api`, or `file:` and the name of the bundle."""
    breaker: CircuitState | None = None
    """Where its breaker stands, if it has one or is held back by hand."""
    is_held: bool = False
    """Whether its runs wait until a person lets them go."""
    note: str | None = None
    """Why, if whoever holds it said so."""
    weights: dict[int, int] = {}
    """How its runs are shared out between versions; empty: all go to the current one."""


def define(
    tx: Tx, spec: JobSpec, *, namespace: str, origin: str = CODE, app: str | None = None
) -> int:
    """Make this definition the current one; returns its version. `app` is whose code brings it.

    One that no code brings is served by the workers that may serve stored jobs; they are told.
    """
    text = msgspec.json.encode(spec).decode()  # in the order of the code, for its parameters
    same = msgspec.json.encode(spec, order="deterministic")
    digest = hashlib.blake2b(same, digest_size=16).hexdigest()
    at = {"namespace": namespace, "name": spec.name, "digest": digest}
    row = tx.one("find_version", **at)
    while row is None:
        # Another process may bring a different change at the same moment and take the number.
        tx.execute("insert_version", spec=text, origin=origin, **at)
        row = tx.one("find_version", **at)
    version = int(row["version"])
    tx.execute(
        "set_current_version",
        namespace=namespace,
        name=spec.name,
        version=version,
        origin=origin,
        app=app,
    )
    if origin != CODE:
        tx.notify((jobs_key(namespace),))
    set_rule(tx, spec, namespace=namespace)
    return version


class Pinned(msgspec.Struct, frozen=True):
    """The definition that runs of a version are pinned to, and who brought it first."""

    spec: JobSpec
    origin: str = CODE


def pinned_to(tx: Tx, name: str, version: int, *, namespace: str) -> Pinned | None:
    """None for a version that is not on record."""
    row = tx.one("load_spec", namespace=namespace, name=name, version=version)
    return Pinned(_spec.decode(row["spec"]), row["origin"] or CODE) if row else None


def spec_of(tx: Tx, name: str, version: int, *, namespace: str) -> JobSpec | None:
    """The definition that runs of this version are pinned to."""
    pinned = pinned_to(tx, name, version, namespace=namespace)
    return pinned.spec if pinned else None


def current_specs(
    tx: Tx, names: Collection[str], *, namespace: str
) -> dict[str, tuple[int, JobSpec]]:
    """The current version of each of these jobs that is on record, with its definition."""
    rows = tx.all("current_versions", namespace=namespace, names=json.dumps(sorted(names)))
    found = {}
    for row in rows:
        at = "spec", namespace, row["name"], row["version"]
        spec = tx.memo.get(at)
        if spec is None:
            spec = spec_of(tx, row["name"], row["version"], namespace=namespace)
            tx.memo[at] = spec
        if spec is not None:
            found[row["name"]] = row["version"], spec
    return found


def jobs(
    tx: Tx, *, namespace: str, name: str | None = None, after: str = "", limit: int = EVERY
) -> list[JobView]:
    """Jobs on record, by name; `after` is the last name of the page before."""
    rows = tx.all("list_jobs", namespace=namespace, name=name, after=after, limit=limit)
    return [
        JobView(
            name=row["name"],
            version=row["version"],
            spec=_spec.decode(row["spec"]),
            created_at=row["created_at"],
            origin=row["origin"],
            breaker=row["breaker"],
            is_held=row["breaker"] == "open" and bool(row["stays"]),
            note=row["note"] if row["breaker"] == "open" else None,
            weights=_weights.decode(row["weights"]) if row["weights"] else {},
        )
        for row in rows
    ]


def declared_jobs(tx: Tx, *, namespace: str, app: str) -> list[str]:
    """The names of the jobs that the code of this app brought last."""
    return [row["name"] for row in tx.all("declared_jobs", namespace=namespace, app=app)]


def lock_job(tx: Tx, name: str, *, namespace: str) -> None:
    """Nobody else makes another version the current one until this transaction ends."""
    tx.one("lock_job", namespace=namespace, name=name)


def origin_of(tx: Tx, name: str, *, namespace: str) -> str | None:
    """Who brought the definition; None when no such job is on record, or it was removed."""
    row = tx.one("find_job", namespace=namespace, name=name)
    return None if row is None or row["removed_at"] is not None else str(row["origin"])


def remove(tx: Tx, name: str, *, namespace: str) -> bool:
    """Take a job off the record; runs that wait are still carried out. False if it was gone."""
    return tx.execute("remove_job", namespace=namespace, name=name) > 0


def stored_jobs(tx: Tx, *, namespace: str) -> dict[str, JobSpec]:
    """The jobs that no code defines, by name, in their current version."""
    rows = tx.all("stored_jobs", namespace=namespace)
    return {row["name"]: _spec.decode(row["spec"]) for row in rows}
