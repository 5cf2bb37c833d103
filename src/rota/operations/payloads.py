"""The limits of a namespace for a caller: the size of data, and the number of waiting runs."""

from __future__ import annotations

from rota.engine.identity.namespaces import check_room as check_quota
from rota.engine.identity.namespaces import find_namespace
from rota.errors import PayloadTooLarge
from rota.model.identity.credentials import Quotas
from rota.operations.caller import Caller
from rota.store.base import Tx

MOST_BYTES_OF_A_SIGN = 4


def check_payload(tx: Tx, caller: Caller, what: str, text: str) -> str:
    """The text, if it is no longer than its namespace or its server allows.

    A program on the store has the limits of arguments alone, which are checked with them.
    """
    most = caller.tools.payload_bytes
    if most is None:
        return text
    return check_size(what, text, find_namespace(tx, caller.namespace).quotas, most=most)


def check_room(tx: Tx, caller: Caller, *, more: int) -> None:
    """QuotaExceeded if not so many more runs may wait; a program on the store has no quota."""
    if caller.tools.payload_bytes is not None:
        quotas = find_namespace(tx, caller.namespace).quotas
        check_quota(tx, caller.namespace, more=more, quotas=quotas)


def check_size(what: str, text: str, quotas: Quotas, *, most: int) -> str:
    """The text, if it is no longer than its namespace allows, or else than `most`."""
    limit = most if quotas.payload is None else quotas.payload
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
