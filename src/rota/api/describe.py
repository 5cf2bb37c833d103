"""`python -m rota.api.describe` prints the description of the API, without a server."""

from __future__ import annotations

import sys

import msgspec

from rota.api.server.asgi import make_litestar
from rota.api.server.description import description_of
from rota.api.server.options import ServerOptions
from rota.api.server.state import ServerState
from rota.app import App


def main() -> None:
    """Print OpenAPI 3.1, the same document that `/api/v1/openapi.json` serves."""
    server_state = ServerState(App("sqlite:///:memory:"), ServerOptions())
    description = description_of(make_litestar(server_state))
    sys.stdout.buffer.write(msgspec.json.format(description, indent=2) + b"\n")


if __name__ == "__main__":
    main()
