"""How much data a run, a schedule or an event may bring through a server."""

from __future__ import annotations

from rota.engine.identity.namespaces import find_namespace
from rota.errors import PayloadTooLarge
from rota.model.identity import Quotas
from rota.operations.caller import Caller
from rota.store.base import Tx

MOST_BYTES_OF_A_SIGN = 4


def check_payload(what: str, text: str, quotas: Quotas, payload_bytes: int) -> str:
    """The text, if it is no longer than its namespace allows, or else than the server does."""
    limit = payload_bytes if quotas.payload is None else quotas.payload
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


def checked_args(tx: Tx, caller: Caller, text: str) -> str:
    """Arguments that a request brings for something other than a submit."""
    if caller.payload_bytes is None:
        return text
    quotas = find_namespace(tx, caller.namespace).quotas
    return check_payload("the arguments take", text, quotas, caller.payload_bytes)
