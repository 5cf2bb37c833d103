"""`python -m rota.api.describe` prints the description of the API, without a server."""

from __future__ import annotations

import sys

import msgspec

from rota.api.app import make_litestar
from rota.api.options import ServerOptions
from rota.api.site import Site
from rota.app import App


def main() -> None:
    """OpenAPI 3.1, as `/api/v1/openapi.json` answers it."""
    site = Site(App("sqlite:///:memory:"), ServerOptions())
    schema = make_litestar(site).openapi_schema.to_schema()
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n")


if __name__ == "__main__":
    main()
