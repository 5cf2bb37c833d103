"""Operations on versions of a job: list them, go back to one, share runs between them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.clock import moment
from rota.engine.jobs.definitions import define, lock_job, spec_of
from rota.engine.jobs.deployed_versions import DeployedStart
from rota.engine.jobs.views import NEWEST, RecordedVersion, versions
from rota.engine.jobs.weights import set_weights
from rota.errors import BadOption, UnknownVersion
from rota.model.jobs.job import JobMade
from rota.model.jobs.spec import JobSpec
from rota.model.jobs.version import JobWeights, VersionDiff, VersionView
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.jobs.job_views import definition_view
from rota.operations.jobs.redaction import visible_changes
from rota.operations.jobs.visible import API, check_from_api, check_unchanged, visible_job
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.permissions import check_rights, check_starts
from rota.operations.wire import WholeBody
from rota.rules.jobs.differences import differences
from rota.store.base import Tx

Before = Annotated[int | None, msgspec.Meta(ge=1, le=NEWEST)]


@reads("/jobs/{job_id}/versions")
def list_versions(
    tx: Tx, caller: Caller, job_id: str, *, cursor: Before = None, limit: Limit = PAGE
) -> Page[VersionView]:
    """All that a job ever was, the newest first."""
    job = visible_job(tx, caller, job_id)
    before = cursor or NEWEST
    found = versions(tx, job_id, namespace=caller.namespace, before=before, limit=limit + 1)
    items = [
        _version(caller, each, current=job.version, weights=job.weights) for each in found[:limit]
    ]
    return Page(items=items, next=str(items[-1].version) if len(found) > limit else None)


@reads("/jobs/{job_id}/versions/{old}/diff/{new}")
def compare_versions(tx: Tx, caller: Caller, job_id: str, old: int, new: int) -> VersionDiff:
    """Field by field, what the second version has that the first has not."""
    visible_job(tx, caller, job_id)
    both = _spec(tx, caller, job_id, old), _spec(tx, caller, job_id, new)
    changed = visible_changes(differences(*both), caller.credential, *both)
    return VersionDiff(job=job_id, old=old, new=new, changes=changed)


@changes(
    "POST",
    "/jobs/{job_id}/rollback",
    verb="roll back job",
    role="author",
    also=("exec",),
    subject="job_id",
    before=lambda tx, caller, job_id, **_: visible_job(tx, caller, job_id).spec,
)
def roll_back_job(
    tx: Tx, caller: Caller, job_id: str, *, version: int, if_match: str | None = None
) -> JobMade:
    """Make an old version the current one again, with its number; schedules stay as they are."""
    tell(tx, caller, version=version)
    lock_job(tx, job_id, namespace=caller.namespace)
    job = visible_job(tx, caller, job_id)
    check_unchanged(tx, caller, job_id, if_match)
    check_from_api(job.origin, job_id)
    spec = _spec(tx, caller, job_id, version)
    check_rights(tx, caller, spec)
    made = define(tx, spec, namespace=caller.namespace, origin=API)
    if made == job.version:
        nothing_changed(tx, caller)
    return JobMade(job=job_id, status="active", version=made)


@changes(
    "PUT",
    "/jobs/{job_id}/weights",
    verb="weigh versions",
    role="author",
    also=("exec",),
    subject="job_id",
    before=lambda tx, caller, job_id, *_, **__: visible_job(tx, caller, job_id).weights,
)
def weigh_versions(
    tx: Tx,
    caller: Caller,
    job_id: str,
    weights: Annotated[dict[str, int], WholeBody],
    *,
    if_match: str | None = None,
) -> JobWeights:
    """Share out the runs to come between versions: `{"3": 90, "4": 10}`. `{}` ends it.

    The key of a run decides for a version, always the same one; without a key it is chance. The
    shares hold until another definition becomes the current one.
    """
    wanted = {_number(version): weight for version, weight in weights.items()}
    tell(tx, caller, weights=weights)
    lock_job(tx, job_id, namespace=caller.namespace)
    old = visible_job(tx, caller, job_id)
    check_unchanged(tx, caller, job_id, if_match)
    specs = [_spec(tx, caller, job_id, version) for version in wanted]
    check_rights(tx, caller, *specs)
    check_starts(tx, caller.credential, [DeployedStart(job_id, version) for version in wanted])
    set_weights(tx, job_id, wanted, namespace=caller.namespace)
    if visible_job(tx, caller, job_id).weights == old.weights:
        nothing_changed(tx, caller)
    return JobWeights(job=job_id, weights=weights)


def _spec(tx: Tx, caller: Caller, name: str, version: int) -> JobSpec:
    spec = spec_of(tx, name, version, namespace=caller.namespace)
    if spec is None:
        raise UnknownVersion(name, version)
    return spec


def _version(
    caller: Caller, recorded: RecordedVersion, *, current: int, weights: dict[int, int]
) -> VersionView:
    return VersionView(
        version=recorded.version,
        created_at=moment(recorded.created_at),
        origin=recorded.origin,
        current=recorded.version == current,
        weight=weights.get(recorded.version, 0) if weights else None,
        definition=definition_view(recorded.spec, caller.credential),
    )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(NEWEST)):
        raise BadOption(f"weights: {text!r:.64} is not the number of a version")
    return int(text)
