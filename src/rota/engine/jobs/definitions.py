"""Jobs: definitions as immutable versions; equal definitions are one version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.failures.breakers.control import set_rule
from rota.engine.values.stored_text import read
from rota.engine.wakeup_keys import jobs_key
from rota.errors import BadInput
from rota.model.admission.breaker import CircuitState
from rota.model.jobs.spec import JobSpec
from rota.rules.failures.on_failure import check_told, told_by
from rota.store.base import Tx

CODE = "code"

EVERY = 2**31 - 1
"""No limit."""

_spec = msgspec.json.Decoder(JobSpec)
_weights = msgspec.json.Decoder(dict[int, int])


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """The current version of a job, as people see it."""

    name: str
    version: int
    spec: JobSpec
    created_at: int
    origin: str = CODE
    """The source of the definition: `code`, `api`, or `file:` and the name of the bundle."""
    breaker: CircuitState | None = None
    """The state of its breaker, if it has one or is held back by hand."""
    is_held: bool = False
    """Whether its runs wait until a person lets them go."""
    note: str | None = None
    """The reason for the hold, if one was given."""
    weights: dict[int, int] = {}
    """The shares of its runs by version; empty: all go to the current one."""


def define(  # whose definition it is, and since when
    tx: Tx,
    spec: JobSpec,
    *,
    namespace: str,
    origin: str = CODE,
    app: str | None = None,
    since: int | None = None,
) -> int:
    """Make this definition the current one; returns its version. `app` names the app of the code.

    Workers that may serve stored jobs serve a definition without code; they are woken. Definitions
    that come together have the same `since`.
    """
    version, _ = put_version(tx, spec, namespace=namespace, origin=origin)
    make_current(tx, spec, version, namespace=namespace, origin=origin, app=app, since=since)
    return version


def introduce(
    tx: Tx, spec: JobSpec, *, namespace: str, app: str | None = None, since: int | None = None
) -> int:
    """Return the version of a definition that a submit needs; only a new one becomes current.

    The submitting code may be older: a known definition changes nothing.
    """
    version, is_new = put_version(tx, spec, namespace=namespace)
    if is_new:
        make_current(tx, spec, version, namespace=namespace, app=app, since=since)
    return version


def put_version(tx: Tx, spec: JobSpec, *, namespace: str, origin: str = CODE) -> tuple[int, bool]:
    """Return the number of a definition, and whether it is new; the current one stays current."""
    text = msgspec.json.encode(spec).decode()  # in the order of the code, for its parameters
    same = msgspec.json.encode(spec, order="deterministic")
    digest = hashlib.blake2b(same, digest_size=16).hexdigest()
    at = {"namespace": namespace, "name": spec.name, "digest": digest}
    row = tx.one("find_version", **at)
    is_new = row is None
    while row is None:
        # Another process may bring a different change at the same moment and take the number.
        tx.execute("insert_version", spec=text, origin=origin, deadline=spec.deadline or None, **at)
        row = tx.one("find_version", **at)
    return int(row["version"]), is_new


def make_current(  # noqa: PLR0913  # which version, whose, and since when
    tx: Tx,
    spec: JobSpec,
    version: int,
    *,
    namespace: str,
    origin: str = CODE,
    app: str | None = None,
    since: int | None = None,
) -> None:
    """Make submits and schedules use this version from now on."""
    at = {"namespace": namespace, "name": spec.name, "version": version}
    tx.execute("set_current_version", origin=origin, app=app, **at)
    tx.execute("note_version", since=since, **at)
    if origin != CODE:
        tx.notify((jobs_key(namespace),))
    set_rule(tx, spec, namespace=namespace)


class PinnedVersion(msgspec.Struct, frozen=True):
    """The definition that runs of a version are pinned to, and its first source."""

    spec: JobSpec
    origin: str = CODE


def pinned_to(tx: Tx, name: str, version: int, *, namespace: str) -> PinnedVersion | None:
    """Return the pinned definition; None for a version that is not on record."""
    row = tx.one("load_spec", namespace=namespace, name=name, version=version)
    if row is None:
        return None
    return PinnedVersion(_read(row["spec"], name, version), row["origin"] or CODE)


def spec_of(tx: Tx, name: str, version: int, *, namespace: str) -> JobSpec | None:
    """Return the definition that runs of this version are pinned to."""
    pinned = pinned_to(tx, name, version, namespace=namespace)
    return pinned.spec if pinned else None


def current_specs(
    tx: Tx, names: Collection[str], *, namespace: str
) -> dict[str, tuple[int, JobSpec]]:
    """Return the current version of each of these jobs on record, with its definition.

    An unreadable one is left out, so that the others are served; its runs fail for that reason.
    """
    rows = tx.all("current_versions", namespace=namespace, names=json.dumps(sorted(names)))
    specs = {}
    for row in rows:
        at = "spec", namespace, row["name"], row["version"]
        spec = tx.memo.get(at)
        if spec is None:
            try:
                spec = spec_of(tx, row["name"], row["version"], namespace=namespace)
            except BadInput as error:
                set_aside(f"job {row['name']} in version {row['version']}", error)
                continue
            tx.memo[at] = spec
        if spec is not None:
            specs[row["name"]] = row["version"], spec
    return specs


def jobs(
    tx: Tx, *, namespace: str, name: str | None = None, after: str = "", limit: int = EVERY
) -> list[JobView]:
    """Return the jobs on record, by name; `after` is the last name of the page before."""
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


def check_told_jobs(tx: Tx, specs: Mapping[str, JobSpec], *, namespace: str) -> None:
    """Raise BadOption if `on_failure` of one names a job that is neither here nor on record."""
    handler_names = {handler for spec in specs.values() if (handler := told_by(spec)) is not None}
    if not handler_names:
        return
    others = current_specs(tx, handler_names - specs.keys(), namespace=namespace)
    every_spec = {**specs, **{name: spec for name, (_, spec) in others.items()}}
    if not handler_names <= every_spec.keys():  # for the hint
        every_spec |= {view.name: view.spec for view in jobs(tx, namespace=namespace)}
    check_told(specs, every_spec, where="in the app or on record")


def declared_jobs(tx: Tx, *, namespace: str, app: str) -> list[str]:
    """Return the names of the jobs that the code of this app brought last."""
    return [row["name"] for row in tx.all("declared_jobs", namespace=namespace, app=app)]


def lock_job(tx: Tx, name: str, *, namespace: str) -> None:
    """Lock a job: no other transaction makes another version current until this one ends."""
    tx.one("lock_job", namespace=namespace, name=name)


def origin_of(tx: Tx, name: str, *, namespace: str) -> str | None:
    """Return the source of the definition; None for a job not on record or removed."""
    row = tx.one("find_job", namespace=namespace, name=name)
    return None if row is None or row["removed_at"] is not None else str(row["origin"])


def last_version(tx: Tx, name: str, *, namespace: str) -> int | None:
    """Return the current version, or the last one of a removed job; None if the job is unknown."""
    row = tx.one("find_job", namespace=namespace, name=name)
    return None if row is None else int(row["version"])


def remove(tx: Tx, name: str, *, namespace: str) -> bool:
    """Remove a job; runs that wait are still carried out. False if it was gone."""
    return tx.execute("remove_job", namespace=namespace, name=name) > 0


def stored_jobs(tx: Tx, *, namespace: str) -> dict[str, JobSpec]:
    """Return the readable jobs that no code defines, by name, in their current version."""
    specs: dict[str, JobSpec] = {}
    for row in tx.all("stored_jobs", namespace=namespace):
        try:
            specs[row["name"]] = _read(row["spec"], row["name"])
        except BadInput as error:
            set_aside(f"job {row['name']}", error)
    return specs


def _read(text: str, job: str, version: int | None = None) -> JobSpec:
    at = "" if version is None else f" in version {version}"
    return read(_spec, text, f"the definition of job {job!r}{at}")
