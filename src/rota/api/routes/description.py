"""The description of the API, made from the routes themselves."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Response, get

from rota.api.ask import Ask
from rota.api.gate import needs

MEDIA_TYPE = "application/vnd.oai.openapi+json;version=3.1"


@get("/openapi.json", **needs("viewer"), include_in_schema=False)
async def show_description(request: Ask) -> Response[Any]:
    """OpenAPI 3.1."""
    schema = request.app.openapi_schema.to_schema()
    return Response(msgspec.json.encode(schema), media_type="application/json")


ROUTES = (show_description,)
