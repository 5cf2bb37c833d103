"""The description of the API, made from the routes themselves."""

from __future__ import annotations

from typing import Any

from litestar import Response, get

from rota.api.identity.authorization import needs
from rota.api.server.description import description_of
from rota.api.server.request import ApiRequest

MEDIA_TYPE = "application/vnd.oai.openapi+json;version=3.1"


@get("/openapi.json", **needs("viewer"), include_in_schema=False)
async def show_description(request: ApiRequest) -> Response[Any]:
    """OpenAPI 3.1."""
    return Response(description_of(request.app), media_type="application/json")


ROUTES = (show_description,)
