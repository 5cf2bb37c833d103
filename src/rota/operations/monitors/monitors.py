"""Operations on monitors: list, create, change, remove, pause and resume; new addresses."""

from __future__ import annotations

import secrets
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from rota.engine.locks import lock_name
from rota.engine.monitors import definitions as engine
from rota.errors import NotPermitted
from rota.ids import new_id
from rota.model.monitors.monitor import Monitor, MonitorState, MonitorView
from rota.model.schedules.definitions import Dialect, Removed
from rota.model.view import Body, Page, View
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.rules.monitors.addresses import KEY_BYTES, PREFIX, ping_key_text
from rota.rules.monitors.checks import check_monitor, check_monitor_name
from rota.store.base import Tx

UUID_BYTES = 16


class MonitorBody(Body):
    """When a foreign job is expected to ping."""

    every: str | None = None
    """The longest time from one ping to the next, such as 1d."""
    cron: str | None = None
    """Instead: the cron line of the foreign job."""
    dialect: Dialect = "vixie"
    """The dialect of the cron line."""
    zone: str = "UTC"
    """The zone of the cron line."""
    grace: str = "1h"
    """How late a ping may be, and how long the job may take from its start to its end."""
    manual_resume: bool = False
    """Whether pings of a paused monitor are recorded without ending the pause."""
    note: str = ""


class PingKeyView(View, frozen=True):
    """The beginning of the paths with which monitors are pinged by name."""

    path: str


def _etag(monitor: MonitorView) -> str:
    return etag_of(monitor.name, *(getattr(monitor, each) for each in Monitor.__struct_fields__))


@reads("/monitors")
def list_monitors(
    tx: Tx,
    caller: Caller,
    *,
    only: MonitorState | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[MonitorView]:
    """By name, with the newest pings of each; `cursor` is the `next` of the page before."""
    check_whole(caller)
    page: list[MonitorView] = []
    after = cursor or ""
    while True:
        found = engine.monitors(
            tx,
            namespace=caller.namespace,
            is_masked=is_masked(caller),
            after=after,
            limit=limit + 1,
        )
        page += [each for each in found if only in (None, each.state)]
        if len(page) > limit or len(found) <= limit:
            break
        after = found[-1].name
    items = [_offered(each, caller) for each in page[:limit]]
    return Page(items=items, next=items[-1].name if len(page) > limit else None)


@reads("/monitors/{name}", etag=_etag)
def show_monitor(tx: Tx, caller: Caller, name: str) -> MonitorView:
    """A monitor with its newest pings, and its address for callers who may use it."""
    check_whole(caller)
    return found_monitor(tx, caller, name)


def _before_putting(tx: Tx, caller: Caller, name: str, *_: Any, **__: Any) -> Monitor | None:
    return engine.present_monitor(tx, name, namespace=caller.namespace)


@changes("PUT", "/monitors/{name}", verb="put monitor", role="author", before=_before_putting)
def put_monitor(
    tx: Tx,
    caller: Caller,
    name: str,
    body: MonitorBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> MonitorView:
    """Make a monitor or change the one of that name, which keeps its address and its pings."""
    check_monitor_name(name)
    check_whole(caller)
    monitor = Monitor(**{field: getattr(body, field) for field in body.__struct_fields__})
    check_monitor(monitor)
    here = caller.namespace
    lock_name(tx, "monitor", name, namespace=here)
    present = engine.present_monitor(tx, name, namespace=here)
    etag = None if present is None else _etag(found_monitor(tx, caller, name))
    check_match(if_match, etag, if_none_match=if_none_match)
    engine.make_ping_key(tx, _new_ping_key(caller), namespace=here)
    is_new = engine.put_monitor(
        tx,
        name,
        monitor,
        namespace=here,
        who=caller.actor.who,
        new_id=new_id,
        new_ping_id=lambda: _new_ping_id(caller),
    )
    if not is_new:
        nothing_changed(tx, caller)
    return found_monitor(tx, caller, name)


@changes("DELETE", "/monitors/{name}", verb="remove monitor", role="author")
def remove_monitor(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """Remove a monitor with its pings; its address is unknown from now on."""
    check_whole(caller)
    lock_name(tx, "monitor", name, namespace=caller.namespace)
    check_match(if_match, _etag(found_monitor(tx, caller, name)))
    engine.remove_monitor(tx, name, namespace=caller.namespace)
    return Removed(name=name)


@changes("POST", "/monitors/{name}/pause", verb="pause monitor")
def pause_monitor(tx: Tx, caller: Caller, name: str, *, note: str | None = None) -> MonitorView:
    """Expect nothing until it is resumed, or pinged unless `manualResume` is set."""
    check_whole(caller)
    tell(tx, caller, note=note)
    at = {"namespace": caller.namespace, "who": caller.actor.who}
    if not engine.pause_monitor(tx, name, note=note, **at):
        nothing_changed(tx, caller)
    return found_monitor(tx, caller, name)


@changes("POST", "/monitors/{name}/resume", verb="resume monitor")
def resume_monitor(tx: Tx, caller: Caller, name: str) -> MonitorView:
    """Wait for the next ping, however long it takes; from then on it is expected again."""
    check_whole(caller)
    at = {"namespace": caller.namespace, "who": caller.actor.who}
    if not engine.resume_monitor(tx, name, **at):
        nothing_changed(tx, caller)
    return found_monitor(tx, caller, name)


@changes("POST", "/monitors/{name}/rotate", verb="rotate monitor", role="author")
def rotate_monitor(tx: Tx, caller: Caller, name: str) -> MonitorView:
    """Give a monitor another secret address; the old one is unknown at once."""
    check_whole(caller)
    engine.rotate_monitor(
        tx,
        name,
        namespace=caller.namespace,
        who=caller.actor.who,
        new_ping_id=lambda: _new_ping_id(caller),
    )
    return found_monitor(tx, caller, name)


@changes("POST", "/ping-key/rotate", verb="rotate ping key", role="author", subject="")
def rotate_ping_key(tx: Tx, caller: Caller) -> PingKeyView:
    """Replace the key with which all monitors of the namespace are pinged by name."""
    check_whole(caller)
    tell(tx, caller, subject=caller.namespace)
    secret = _new_ping_key(caller)
    engine.rotate_ping_key(tx, secret, namespace=caller.namespace)
    return PingKeyView(path=f"{PREFIX}{secret}/")


def check_whole(caller: Caller) -> None:
    """NotPermitted for a caller who sees some queues only: monitors belong to none."""
    if not caller.sees_all_queues:
        raise NotPermitted("monitors belong to no queue, and the credential reaches some queues")


def found_monitor(tx: Tx, caller: Caller, name: str) -> MonitorView:
    """Return a monitor as the caller may see it."""
    found = engine.find_monitor(tx, name, namespace=caller.namespace, is_masked=is_masked(caller))
    return _offered(found, caller)


def is_masked(caller: Caller) -> bool:
    """Whether the caller sees no secrets of addresses: those who only look could ping."""
    return not caller.may("ping")


def _new_ping_id(caller: Caller) -> str:
    """Draw the secret of an address: a random UUID."""
    return caller.once(
        "ping id", lambda: str(UUID(bytes=secrets.token_bytes(UUID_BYTES), version=4))
    )


def _new_ping_key(caller: Caller) -> str:
    return caller.once("ping key", lambda: ping_key_text(secrets.token_bytes(KEY_BYTES)))


def _offered(view: MonitorView, caller: Caller) -> MonitorView:
    """Return the monitor with the actions that the caller may take on it now."""
    held = ("resume",) if view.state == "paused" else ("pause",)
    editing = caller.may("edit", "rotate", "delete", role="author")
    return replace(view, verbs=(*caller.may("ping", *held), *editing))
