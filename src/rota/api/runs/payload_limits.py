"""How much data a run, a schedule or an event may bring through a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.engine.identity.namespaces import find_namespace
from rota.errors import PayloadTooLarge
from rota.model.identity import Quotas

if TYPE_CHECKING:
    from rota.api.server.options import ServerOptions
    from rota.api.server.request import ApiRequest
    from rota.store.base import Tx

MOST_BYTES_OF_A_SIGN = 4


def check_payload(what: str, text: str, quotas: Quotas, options: ServerOptions) -> str:
    """The text, if it is no longer than its namespace allows, or else than the server does."""
    limit = options.payload_bytes if quotas.payload is None else quotas.payload
    if len(text) * MOST_BYTES_OF_A_SIGN <= limit:
        return text
    size = len(text.encode())
    if size > limit:
        raise PayloadTooLarge(
            f"{what} {size:,} bytes and the limit here is {limit:,}; keep the data in a file or an "
            "object store and pass its name, or have the limit raised: `max_payload` of the server,"
            " `rota namespaces set NAME --payload SIZE`"
        )
    return text


def checked_args(tx: Tx, request: ApiRequest, text: str) -> str:
    """Arguments that a request brings for something other than a submit."""
    quotas = find_namespace(tx, request.namespace).quotas
    return check_payload("the arguments take", text, quotas, request.server_state.options)
