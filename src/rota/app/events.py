"""Events in the hands of a program: send one, and every schedule that listens starts."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import msgspec

from rota.app.who import whoami
from rota.clock import elapsed_s
from rota.engine.events import send
from rota.errors import BadOption, CommitUnknown, PayloadTooLarge, StoreUnavailable
from rota.ids import new_id
from rota.model.event import Event, Sent
from rota.rules.jobs.signature import MAX_ARGS_BYTES
from rota.rules.text.names import check_key, check_name

if TYPE_CHECKING:
    from rota.app.app import App

ASK_S = 15.0
"""How long to ask the store whether an event with a broken commit was recorded."""


def send_event(app: App, name: str, payload: Any, *, key: str | None, who: str | None) -> Sent:
    """On disk, with all it starts, when this returns."""
    event = new_event(name, payload, key=key)
    try:
        return _send(app, event, who)
    except CommitUnknown as error:
        return _ask_again(app, event, who, error)


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
            timetables=app.schedules.timetables,
            new_id=new_id,
        )
    )


def _ask_again(app: App, event: Event, who: str | None, error: CommitUnknown) -> Sent:
    """The commit may or may not have happened: the event's own id makes it one."""
    end_s = elapsed_s() + ASK_S
    while elapsed_s() < end_s:
        try:
            return _send(app, event, who)
        except StoreUnavailable:
            time.sleep(random.uniform(0.05, 0.5))
    raise error


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
