"""Health: whether the process is alive, whether it can serve, and its version."""

from __future__ import annotations

from litestar import MediaType, Response, get

from rota.api.identity.authorization import needs, public
from rota.api.identity.row_scope import HOUSE
from rota.api.server.documents import Document
from rota.api.server.request import ApiRequest
from rota.engine.runs.find import now_ms
from rota.errors import RotaError
from rota.version import version


class Version(Document):
    """The version of this server."""

    version: str
    database: str


@get("/healthz", **public(), media_type=MediaType.TEXT, sync_to_thread=False)
def healthz() -> str:
    """The process answers; says nothing else to anybody."""
    return "ok"


@get("/readyz", **public(), media_type=MediaType.TEXT)
async def readyz(request: ApiRequest) -> Response[str]:
    """The database answers, too: 200, else 503."""
    try:
        await request.server_state.read(now_ms, only=HOUSE)
    except RotaError:
        return Response("not ready", status_code=503, media_type=MediaType.TEXT)
    return Response("ready", status_code=200, media_type=MediaType.TEXT)


@get("/version", **needs("viewer", everybody=True))
async def show_version(request: ApiRequest) -> Version:
    """The version of this server, and which kind of database it has."""
    return Version(version=version(), database=request.server_state.store.dialect)


ROOT = (healthz, readyz)
ROUTES = (show_version,)
