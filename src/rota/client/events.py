"""Events behind a server: send one, and every schedule that listens starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rota.client.documents import Answer
from rota.errors import BadOption
from rota.model.event import Heard, Sent
from rota.rules.text.names import check_key, check_name

if TYPE_CHECKING:
    from rota.client.client import Client


class _Heard(Answer):
    schedule: str
    decision: str
    run_id: str | None = msgspec.field(name="executionId")


class _Sent(Answer):
    id: str
    is_new: bool
    heard: list[_Heard]


def send_event(client: Client, name: str, payload: Any, *, key: str | None) -> Sent:
    """On disk, with all it starts, when this returns."""
    body = {"event": check_name("event", name), "payload": payload}
    if key is not None:
        body["key"] = check_key(key)
    try:
        content = msgspec.json.encode(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption(f"the payload of an event is JSON: {error}") from error
    sent = client.line.post("/events", _Sent, content)
    heard = tuple(Heard(**msgspec.structs.asdict(each)) for each in sent.heard)
    return Sent(id=sent.id, is_new=sent.is_new, heard=heard)
