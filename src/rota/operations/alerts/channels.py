"""Operations on alert channels: list them, create or change one, test one, remove one."""

from __future__ import annotations

from collections.abc import Mapping

from rota.clock import moment_or_none, to_text
from rota.engine.alerts import rules as engine
from rota.engine.alerts.incidents import put_message
from rota.engine.alerts.messages import ChannelDeliveries, deliveries
from rota.engine.locks import lock_name
from rota.engine.runs.find import now_ms
from rota.errors import NotPermitted, UnknownAlertChannel
from rota.model.alerts.channel import AlertChannel, AlertChannelView
from rota.model.alerts.incident import MessageState, MessageView
from rota.model.schedules.definitions import Removed
from rota.model.view import Body, Page, view_of
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit, page_start
from rota.rules.alerts.checks import kind_of, shown_url
from rota.rules.text.names import check_name
from rota.store.base import Tx

_NOTHING = ChannelDeliveries()


class AlertChannelBody(Body):
    """A way to reach people; `${NAME}` is a variable of the environment that sends."""

    url: str
    """`https://...` posts JSON, `smtp://user:password@host:587/?from=A&to=B` sends e-mail."""
    secret: str | None = None
    """The key that signs the messages of a webhook."""
    note: str = ""


@reads("/alert-channels")
def list_alert_channels(tx: Tx, caller: Caller) -> Page[AlertChannelView]:
    """All alert channels with what became of their messages, by name; secrets are left out."""
    _check_whole(caller)
    found = engine.channels(tx, namespace=caller.namespace)
    sent = deliveries(tx, namespace=caller.namespace)
    return Page(items=[_view(caller, name, found[name], sent) for name in sorted(found)])


@changes("PUT", "/alert-channels/{name}", verb="put alert channel", role="admin")
def put_alert_channel(
    tx: Tx, caller: Caller, name: str, body: AlertChannelBody
) -> AlertChannelView:
    """Create or change a channel; messages that wait are sent to its new address."""
    check_name("channel", name)
    _check_whole(caller)
    channel = AlertChannel(url=body.url, secret=body.secret, note=body.note)
    lock_name(tx, "alert channel", name, namespace=caller.namespace)
    present = engine.channels(tx, namespace=caller.namespace).get(name)
    engine.put_channel(tx, name, channel, namespace=caller.namespace)
    tell(tx, caller, url=shown_url(channel))
    if present == channel:
        nothing_changed(tx, caller)
    return _view(caller, name, channel, deliveries(tx, namespace=caller.namespace))


@changes("DELETE", "/alert-channels/{name}", verb="remove alert channel", role="admin")
def remove_alert_channel(tx: Tx, caller: Caller, name: str) -> Removed:
    """Remove a channel; messages to it that wait are given up."""
    _check_whole(caller)
    if not engine.remove_channel(tx, name, namespace=caller.namespace):
        raise UnknownAlertChannel(name)
    return Removed(name=name)


@changes("POST", "/alert-channels/{name}/test", verb="test alert channel", status=202)
def test_alert_channel(tx: Tx, caller: Caller, name: str) -> MessageView:
    """Send a test message; its state tells whether it arrived."""
    _check_whole(caller)
    lock_name(tx, "alert channel", name, namespace=caller.namespace)
    if name not in engine.channels(tx, namespace=caller.namespace):
        raise UnknownAlertChannel(name)
    now, message_id = now_ms(tx), caller.new_id_for(f"test {name}")
    facts: dict[str, object] = {
        "id": message_id,
        "kind": "test",
        "at": to_text(now),
        "namespace": caller.namespace,
        "rule": None,
        "severity": "info",
        "title": f"A test message of {caller.credential.who} to {name}",
        "incidents": [],
        "more": 0,
    }
    put_message(tx, message_id, facts, channel=name, namespace=caller.namespace)
    (row,) = tx.all("find_alert_message", id=message_id, namespace=caller.namespace)
    return view_of(MessageView, row, id=message_id)


@reads("/alert-messages")
def list_alert_messages(
    tx: Tx,
    caller: Caller,
    *,
    channel: str | None = None,
    status: MessageState | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[MessageView]:
    """Messages with their state and the last error, the newest first."""
    _check_whole(caller)
    rows = tx.all(
        "list_alert_messages",
        namespace=caller.namespace,
        channel=channel,
        state=status,
        before=page_start(cursor),
        limit=limit,
    )
    items = [view_of(MessageView, row, id=str(row["id"])) for row in rows]
    return Page(items=items, next=items[-1].id if len(items) == limit else None)


def _check_whole(caller: Caller) -> None:
    """NotPermitted for a caller who sees some queues only: messages are about all of them."""
    if not caller.sees_all_queues:
        raise NotPermitted("alerts are about all queues, and the credential reaches some of them")


def _view(
    caller: Caller,
    name: str,
    channel: AlertChannel,
    sent: Mapping[str, ChannelDeliveries],
) -> AlertChannelView:
    own = sent.get(name, _NOTHING)
    has_failed = own.failed_at is not None and own.failed_at > (own.sent_at or 0)
    return AlertChannelView(
        name=name,
        kind=kind_of(channel),
        url=shown_url(channel),
        is_signed=channel.secret is not None,
        note=channel.note,
        waiting=own.waiting,
        sent_at=moment_or_none(own.sent_at),
        failed_at=moment_or_none(own.failed_at) if has_failed else None,
        error=own.error if has_failed else None,
        verbs=(*caller.may("test"), *caller.may("edit", "delete", role="admin")),
    )
