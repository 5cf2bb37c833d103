"""Trust in a remote worker: it speaks for the attempts whose tokens it can show."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.remote import RemoteWorkerRow
from rota.errors import BadInput, PayloadTooLarge
from rota.model.workers.remote import AttemptBody
from rota.rules.security.attempt_tokens import Facts, read_token


def check_attempt(worker: RemoteWorkerRow, body: AttemptBody) -> Facts:
    """Return the facts signed when the attempt began; NotPermitted if this is not its token."""
    return read_token(worker.seal, body.run_id, body.fence, body.token)


def check_held(worker: RemoteWorkerRow, bodies: Sequence[AttemptBody]) -> list[HeldLease]:
    """Return the attempts, all of them the worker's; one foreign attempt ends the request."""
    for each in bodies:
        check_attempt(worker, each)
    return [HeldLease(each.run_id, each.fence) for each in bodies]


def check_json(what: str, text: str, *, limit: int) -> str:
    """Return a text of bounded size that others can read as JSON; refuse any other."""
    size = len(text.encode())
    if size > limit:
        raise PayloadTooLarge(f"{what} takes {size:,} bytes and the limit is {limit:,}")
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadInput(f"{what} is no JSON: {error}") from None
    return text


def without_zero(text: str) -> str:
    """Replace zero bytes: no database keeps one in a text."""
    return text.replace("\0", "\ufffd")
