"""The description of the API (OpenAPI 3.1), made from the routes themselves."""

from __future__ import annotations

import re

import msgspec
from litestar import Litestar

_PAGE = re.compile(r'"(#/components/schemas/)?Page_rota\.[\w.]+\.(\w+?)_"')


def description_of(app: Litestar) -> bytes:
    """Return the OpenAPI document as JSON; schemas are named after content, not module."""
    text = msgspec.json.encode(app.openapi_schema.to_schema()).decode()
    return _PAGE.sub(r'"\1Page_\2"', text).encode()
