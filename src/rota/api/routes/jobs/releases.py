"""Releases: what the code of apps declared, one deploy after the other, and the way back."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, FromQuery, QueryParameter

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Document, Moment, then
from rota.api.server.request import ApiRequest
from rota.engine.graphs.graph_run import find_spec
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.declare import Declarer, find_release, releases, use
from rota.errors import UnknownRelease
from rota.ids import new_id
from rota.model.release import Release
from rota.model.view import Page
from rota.operations.paging import MOST, PAGE
from rota.operations.permissions import check_rights
from rota.store.base import Tx

MOST_RELEASES = 2**31 - 1


class ReleaseDocument(Document):
    """All that the code of an app declared at one deploy; of one app the highest number counts."""

    number: int
    app: str | None
    label: str | None
    """What the deploy called itself."""
    jobs: dict[str, int]
    """The versions of its jobs."""
    schedules: list[str]
    seen_at: Moment
    used_at: Moment
    """When it got its number: then, or when a person went back to it."""
    used_by: str
    holds: bool
    """Whether no later release says something else about its jobs."""
    verbs: list[str]


@get("/releases", **needs("viewer"))
async def list_releases(
    request: ApiRequest,
    app: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST)] = PAGE,
) -> Page[ReleaseDocument]:
    """The newest first. A token for some queues sees none: releases are of whole apps."""
    if request.credential.queues is not None:
        return Page(items=[])
    found = await request.read(
        lambda tx: releases(tx, namespace=request.namespace, app=app, limit=limit)
    )
    return Page(items=[_document(each, request) for each in found])


@post(
    "/releases/{number:int}/use",
    **needs("author", changes=True, also=("exec",)),
    status_code=200,
)
async def use_release(request: ApiRequest, number: FromPath[int]) -> ReleaseDocument:
    """Make what a release declared hold again, at once; it gets a new number, the highest."""

    def go_back(tx: Tx, by: Actor) -> ReleaseDocument:
        _check_reach(tx, request, number)
        hand = Declarer(
            namespace=request.namespace,
            who=by.who,
            compiled=request.server_state.app.schedules.compiled,
            new_id=new_id,
        )
        return _document(use(tx, number, hand, by), request)

    return await request.change(
        "use release", str(number), go_back, answers=ReleaseDocument, detail={"was": number}
    )


def _check_reach(tx: Tx, request: ApiRequest, number: int) -> None:
    """NotPermitted unless the credential may put all of it in force.

    To one for some queues releases are unknown: they are of whole apps.
    """
    if request.credential.queues is not None or not 0 < number <= MOST_RELEASES:
        raise UnknownRelease(number)
    found = find_release(tx, number, namespace=request.namespace)
    specs = (
        find_spec(tx, name, version, namespace=request.namespace)
        for name, version in found.jobs.items()
    )
    check_rights(tx, request, *(spec for spec in specs if spec is not None))


def _document(release: Release, request: ApiRequest) -> ReleaseDocument:
    verbs = () if release.holds else ("use",)
    return ReleaseDocument(
        number=release.number,
        app=release.app,
        label=release.label,
        jobs=release.jobs,
        schedules=sorted(release.schedules),
        seen_at=then(release.seen_at),
        used_at=then(release.used_at),
        used_by=release.used_by,
        holds=release.holds,
        verbs=offered(request.credential, *verbs, role="author"),
    )


ROUTES = (list_releases, use_release)
