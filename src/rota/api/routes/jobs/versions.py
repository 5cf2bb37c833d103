"""What a job was and what its runs get: versions, the way back, shares between two of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post, put
from litestar.params import FromPath, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.identity.redaction import told_changes
from rota.api.routes.jobs.bodies import JobMade
from rota.api.routes.jobs.changes import ORIGIN, check_state, reached_job, refuse_others
from rota.api.routes.jobs.documents import DefinitionDocument, definition_document
from rota.api.server.documents import Document, Moment, NoteBody, then
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch
from rota.api.server.request import ApiRequest
from rota.engine.failures.breakers.control import close_breaker, open_breaker
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import define, spec_of
from rota.engine.jobs.deployed_versions import DeployedStart
from rota.engine.jobs.views import NEWEST, VersionView, versions
from rota.engine.jobs.weights import set_weights
from rota.errors import BadOption, UnknownVersion
from rota.model.plan import FieldChange
from rota.model.spec import JobSpec
from rota.model.view import Body, Page
from rota.operations.paging import MOST, PAGE
from rota.operations.permissions import check_rights, check_starts
from rota.rules.jobs.differences import differences
from rota.rules.jobs.parameter_schema import schema_of
from rota.store.base import Tx

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Cursor = Annotated[int | None, QueryParameter(ge=1, le=NEWEST)]


class VersionDocument(Document):
    """One version of a job."""

    version: int
    created_at: Moment
    origin: str
    current: bool
    weight: int | None
    """Its share of the runs, if they are shared out."""
    definition: DefinitionDocument


class ChangeDocument(Document):
    """One field before and after; null where there is nothing."""

    field: str
    old: Any
    new: Any


class DiffDocument(Document):
    """What differs between two versions."""

    job: str = msgspec.field(name="jobId")
    old: int = msgspec.field(name="from")
    new: int = msgspec.field(name="to")
    changes: list[ChangeDocument]


class RollbackBody(Body):
    """Which version to go back to."""

    version: int


class WeightsDocument(Document):
    """How the runs of a job are shared out."""

    job: str = msgspec.field(name="jobId")
    weights: dict[str, int]


class PausedDocument(Document):
    """Whether the runs of a job wait."""

    job: str = msgspec.field(name="jobId")
    status: Literal["paused", "active"]
    note: str | None = None


@get("/jobs/{job_id:str}/versions", **needs("viewer"))
async def list_versions(
    request: ApiRequest, job_id: FromPath[str], cursor: Cursor = None, limit: Limit = PAGE
) -> Page[VersionDocument]:
    """All that a job ever was, the newest first."""
    name = named(job_id)

    def look(tx: Tx) -> Page[VersionDocument]:
        job = reached_job(tx, request, name)
        found = versions(
            tx, name, namespace=request.namespace, before=cursor or NEWEST, limit=limit + 1
        )
        items = [
            _version(request, each, current=job.version, weights=job.weights)
            for each in found[:limit]
        ]
        return Page(items=items, next=str(items[-1].version) if len(found) > limit else None)

    return await request.read(look)


@get("/jobs/{job_id:str}/versions/{old:int}/diff/{new:int}", **needs("viewer"))
async def compare_versions(
    request: ApiRequest, job_id: FromPath[str], old: FromPath[int], new: FromPath[int]
) -> DiffDocument:
    """Field by field, what the second version has that the first has not."""
    name = named(job_id)

    def look(tx: Tx) -> DiffDocument:
        reached_job(tx, request, name)
        both = tuple(_spec(tx, request, name, version) for version in (old, new))
        told = told_changes(differences(*both), request.credential, *both)
        return DiffDocument(job=name, old=old, new=new, changes=[_change(each) for each in told])

    return await request.read(look)


@post(
    "/jobs/{job_id:str}/rollback", **needs("author", changes=True, also=("exec",)), status_code=200
)
async def roll_back_job(
    request: ApiRequest,
    job_id: FromPath[str],
    data: JSONBody[RollbackBody],
    if_match: IfMatch = None,
) -> JobMade:
    """Make an old version the current one again, with its number; schedules stay as they are."""
    name = named(job_id)

    def go_back(tx: Tx, _: Actor) -> JobMade:
        job = reached_job(tx, request, name)
        check_state(tx, request, name, if_match)
        refuse_others(job.origin, name)
        spec = _spec(tx, request, name, data.version)
        check_rights(tx, request, spec)
        version = define(tx, spec, namespace=request.namespace, origin=ORIGIN)
        return JobMade(job=name, status="active", version=version)

    return await request.change(
        "roll back job",
        name,
        go_back,
        answers=JobMade,
        before=lambda tx: msgspec.to_builtins(reached_job(tx, request, name).spec),
        detail={"version": data.version},
    )


@put("/jobs/{job_id:str}/weights", **needs("author", changes=True, also=("exec",)))
async def weigh_versions(
    request: ApiRequest,
    job_id: FromPath[str],
    data: JSONBody[dict[str, int]],
    if_match: IfMatch = None,
) -> WeightsDocument:
    """Share out the runs to come between versions: `{"3": 90, "4": 10}`. `{}` ends it.

    The key of a run decides for a version, always the same one; without a key it is chance. The
    shares hold until another definition becomes the current one.
    """
    name = named(job_id)
    weights = {_number(version): weight for version, weight in data.items()}

    def share_out(tx: Tx, _: Actor) -> WeightsDocument:
        reached_job(tx, request, name)
        check_state(tx, request, name, if_match)
        check_rights(tx, request, *(_spec(tx, request, name, version) for version in weights))
        check_starts(tx, request.credential, [DeployedStart(name, version) for version in weights])
        set_weights(tx, name, weights, namespace=request.namespace)
        return WeightsDocument(job=name, weights=data)

    return await request.change(
        "weigh versions",
        name,
        share_out,
        answers=WeightsDocument,
        before=lambda tx: reached_job(tx, request, name).weights,
        detail={"weights": data},
    )


@post("/jobs/{job_id:str}/pause", **needs("operator", changes=True), status_code=200)
async def pause_job(
    request: ApiRequest, job_id: FromPath[str], data: JSONBody[NoteBody | None] = None
) -> PausedDocument:
    """Start no run of this job until it is resumed; what runs goes on, what is asked for waits."""
    name, note = named(job_id), data.note if data else None

    def hold(tx: Tx, by: Actor) -> PausedDocument:
        reached_job(tx, request, name)
        open_breaker(tx, name, namespace=request.namespace, by=by, note=note)
        return PausedDocument(job=name, status="paused", note=note)

    return await request.change("pause job", name, hold, answers=PausedDocument, why=note or "")


@post("/jobs/{job_id:str}/resume", **needs("operator", changes=True), status_code=200)
async def resume_job(request: ApiRequest, job_id: FromPath[str]) -> PausedDocument:
    """Let the runs of a job go, in their old order; also when its breaker holds them."""
    name = named(job_id)

    def let_go(tx: Tx, by: Actor) -> PausedDocument:
        reached_job(tx, request, name)
        close_breaker(tx, name, namespace=request.namespace, by=by)
        return PausedDocument(job=name, status="active")

    return await request.change("resume job", name, let_go, answers=PausedDocument)


@get("/jobs/{job_id:str}/parameters", **needs("viewer"))
async def show_parameters(request: ApiRequest, job_id: FromPath[str]) -> dict[str, Any]:
    """The arguments of its runs, as JSON Schema."""
    return await request.read(lambda tx: schema_of(reached_job(tx, request, named(job_id)).spec))


def _spec(tx: Tx, request: ApiRequest, name: str, version: int) -> JobSpec:
    spec = spec_of(tx, name, version, namespace=request.namespace)
    if spec is None:
        raise UnknownVersion(name, version)
    return spec


def _version(
    request: ApiRequest, view: VersionView, *, current: int, weights: dict[int, int]
) -> VersionDocument:
    return VersionDocument(
        version=view.version,
        created_at=then(view.created_at),
        origin=view.origin,
        current=view.version == current,
        weight=weights.get(view.version, 0) if weights else None,
        definition=definition_document(view.spec, request.credential),
    )


def _change(change: FieldChange) -> ChangeDocument:
    return ChangeDocument(field=change.field, old=change.old, new=change.new)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(NEWEST)):
        raise BadOption(f"weights: {text!r:.64} is not the number of a version")
    return int(text)


ROUTES = (
    list_versions,
    compare_versions,
    roll_back_job,
    weigh_versions,
    pause_job,
    resume_job,
    show_parameters,
)
