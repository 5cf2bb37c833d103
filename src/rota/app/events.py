"""Events in the hands of a program: send one, and every schedule that listens starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rota.engine.events import send
from rota.errors import BadOption, PayloadTooLarge
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.event import Event, Sent
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.jobs.signature import MAX_ARGS_BYTES
from rota.rules.text.names import check_key, check_name
from rota.store.settled import settled_write

if TYPE_CHECKING:
    from rota.app.app import App


def send_event(app: App, name: str, payload: Any, *, key: str | None, who: str | None) -> Sent:
    """On disk, with all it starts, when this returns."""
    event = new_event(name, payload, key=key)
    return settled_write(lambda _: _send(app, event, who))  # its id makes a repeat the same event


def new_event(name: str, payload: Any, *, key: str | None) -> Event:
    """Checked, and with an id of its own."""
    return Event(
        id=new_id(),
        name=check_name("event", name),
        key=None if key is None else check_key(key),
        payload=_text(payload),
    )


def _send(app: App, event: Event, who: str | None) -> Sent:
    by = who or whoami()
    return app.store.write(
        lambda tx: send(
            tx,
            event,
            namespace=app.namespace,
            sent_by=by,
            compiled=compiled_schedules(),
            new_id=new_id,
        )
    )


def _text(payload: Any) -> str:
    try:
        data = msgspec.json.encode(payload, order="deterministic")
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption(f"the payload of an event is JSON: {error}") from error
    if len(data) > MAX_ARGS_BYTES:
        raise PayloadTooLarge(
            f"the payload takes {len(data):,} bytes, more than {MAX_ARGS_BYTES:,}; "
            "store it elsewhere and send a reference"
        )
    return data.decode()
