"""The operation that sends an event: every schedule that listens to it starts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from rota.engine import events as engine
from rota.errors import BadOption, PayloadTooLarge
from rota.ids import new_id
from rota.model.events.event import Event, Sent
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed
from rota.operations.payloads import check_payload, check_room
from rota.operations.permissions import check_job
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.jobs.signature import MAX_ARGS_BYTES
from rota.rules.text.names import check_key, check_name
from rota.store.base import Tx


@changes("POST", "/events", verb="send event", subject="event", status=201, is_repeatable=True)
def send_event(
    tx: Tx, caller: Caller, event: str, *, payload: Any = None, key: str | None = None
) -> Sent:
    """Tell of an event: every schedule that listens starts, in one transaction.

    Fields of the payload that are parameters of a job become its arguments; a parameter `event`
    gets all of it. Sent twice with one key it is one event, whoever sends it. A credential for some
    queues tells of events that start nothing in other queues.
    """
    fact = Event(
        id=caller.new_id_for("event"),
        name=check_name("event", event),
        key=None if key is None else check_key(key),
        payload=payload_text(payload),
    )
    check_room(tx, caller, more=1)
    check_payload(tx, caller, "the payload takes", fact.payload)
    sent = engine.send(
        tx,
        fact,
        namespace=caller.namespace,
        sent_by=caller.actor.who,
        compiled=compiled_schedules(),
        new_id=new_id,
        check=lambda jobs: _check_jobs(tx, caller, jobs),
        reaches=None if caller.sees_all_queues else caller.sees,
    )
    if not sent.is_new:
        nothing_changed(tx, caller)
    return sent


def payload_text(payload: Any) -> str:
    """A payload as JSON text; BadOption for what is no JSON."""
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


def _check_jobs(tx: Tx, caller: Caller, jobs: Collection[str]) -> None:
    for job in sorted(jobs):
        check_job(tx, caller.credential, job)
