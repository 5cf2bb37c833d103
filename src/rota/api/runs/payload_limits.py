"""How much data a run or a schedule may bring through a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.engine.identity.namespaces import find_namespace
from rota.operations.payloads import check_size

if TYPE_CHECKING:
    from rota.api.server.options import ServerOptions
    from rota.api.server.request import ApiRequest
    from rota.model.identity import Quotas
    from rota.store.base import Tx


def check_payload(what: str, text: str, quotas: Quotas, options: ServerOptions) -> str:
    """The text, if it is no longer than its namespace allows, or else than the server does."""
    return check_size(what, text, quotas, most=options.payload_bytes)


def checked_args(tx: Tx, request: ApiRequest, text: str) -> str:
    """Arguments that a request brings for something other than a submit."""
    quotas = find_namespace(tx, request.namespace).quotas
    return check_payload("the arguments take", text, quotas, request.server_state.options)
