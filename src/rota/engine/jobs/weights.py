"""Weights: share out the runs of a job between its versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import msgspec

from rota.engine.graphs.graph_run import find_spec
from rota.errors import UnknownJob, UnknownVersion
from rota.model.jobs.spec import JobSpec
from rota.rules.jobs.weights import check_weights, choose, point_of
from rota.store.base import Row, Tx

_weights = msgspec.json.Decoder(dict[int, int])


class VersionChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The versions of a job among which a submit may choose; mostly one."""

    current: int
    specs: dict[int, JobSpec]
    weights: dict[int, int] = {}

    def at(self, point: float) -> tuple[int, JobSpec]:
        """Return the version at a point of [0, 1), with its definition."""
        version = choose(self.weights, point) if self.weights else self.current
        return version, self.specs[version]


def set_weights(tx: Tx, name: str, weights: Mapping[int, int], *, namespace: str) -> None:
    """Share out the runs to come; without weights the current version gets all of them.

    They hold until another definition becomes the current one.
    """
    checked = check_weights(weights)
    for version in checked:
        if find_spec(tx, name, version, namespace=namespace) is None:
            raise UnknownVersion(name, version)
    text = msgspec.json.encode(checked).decode() if checked else None
    if not tx.execute("set_weights", namespace=namespace, name=name, weights=text):
        raise UnknownJob(name)


def choices(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, VersionChoice]:
    """Return the versions that submits of these jobs may choose; unknown jobs are left out."""
    by_job: dict[str, VersionChoice] = {}
    rows = tx.all("current_versions", namespace=namespace, names=json.dumps(sorted(names)))
    for row in rows:
        name, current = row["name"], row["version"]
        weights = _weights.decode(row["weights"]) if row["weights"] else {}
        specs = {
            version: spec
            for version in {current, *weights}
            if (spec := find_spec(tx, name, version, namespace=namespace)) is not None
        }
        if current in specs:
            by_job[name] = VersionChoice(current=current, specs=specs, weights=weights)
    return by_job


def weighed(tx: Tx, row: Row, run_id: str) -> Row:
    """Return the row of a start with the version and definition that its run's id falls upon."""
    if row["weights"] is None:
        return row
    version = choose(_weights.decode(row["weights"]), point_of(run_id))
    at = "spec text", row["namespace"], row["job"], version
    if at not in tx.memo:
        spec_row = tx.one("load_spec", namespace=row["namespace"], name=row["job"], version=version)
        tx.memo[at] = spec_row["spec"] if spec_row else None
    text = tx.memo[at]
    return row if text is None else {**row, "version": version, "job_spec": text}
