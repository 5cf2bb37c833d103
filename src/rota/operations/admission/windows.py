"""Operations on maintenance windows: list them, create or change one, remove one."""

from __future__ import annotations

from typing import Any

from rota.clock import moment
from rota.engine.admission import windows
from rota.engine.locks import lock_name
from rota.engine.runs.find import now_ms
from rota.errors import NotPermitted, UnknownBlackout
from rota.model.schedules.definitions import Blackout, BlackoutKind, BlackoutView, Removed
from rota.model.view import Body, Page
from rota.operations.audit_changes import tell_changed
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.operation import changes, nothing_changed, reads
from rota.rules.schedules.sentence import describe_window
from rota.rules.schedules.trigger_options import read_trigger
from rota.rules.schedules.windows import compile_blackout
from rota.rules.text.names import check_name
from rota.store.base import Tx


class BlackoutBody(Body):
    """A window: once from `start` to `end`, or each time a trigger fires, for a `duration`."""

    kind: BlackoutKind
    start: str | None = None
    end: str | None = None
    """The first instant after the window."""
    trigger: str | dict[str, Any] | None = None
    """A cron line, or an object as schedules have it."""
    duration: str | None = None
    zone: str = "UTC"
    job: str | None = None
    queue: str | None = None
    note: str = ""


@reads("/blackouts")
def list_blackouts(tx: Tx, caller: Caller) -> Page[BlackoutView]:
    """All maintenance windows, by name."""
    found = _visible(tx, caller)
    return Page(items=[_view(tx, caller, name, found[name]) for name in sorted(found)])


@reads("/blackouts/{name}", etag=lambda window: etag_of(window.name, window.blackout))
def show_blackout(tx: Tx, caller: Caller, name: str) -> BlackoutView:
    """A maintenance window."""
    return _view(tx, caller, name, _find(tx, caller, name))


@changes("PUT", "/blackouts/{name}", verb="put blackout")
def put_blackout(
    tx: Tx,
    caller: Caller,
    name: str,
    body: BlackoutBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> BlackoutView:
    """Make or change a maintenance window; it counts at once."""
    check_name("blackout", name)
    wanted = _blackout(body)
    _check_own(caller, wanted)
    lock_name(tx, "blackout", name, namespace=caller.namespace)
    present = windows.blackouts(tx, namespace=caller.namespace).get(name)
    if present is not None:
        _check_own(caller, present)
    etag = None if present is None else etag_of(name, present)
    check_match(if_match, etag, if_none_match=if_none_match)
    tell_changed(tx, caller, present, wanted)
    if not windows.put_blackout(tx, name, wanted, namespace=caller.namespace):
        nothing_changed(tx, caller)
    return _view(tx, caller, name, wanted)


@changes("DELETE", "/blackouts/{name}", verb="remove blackout")
def remove_blackout(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """Remove a maintenance window; what it defers starts at its old end."""
    lock_name(tx, "blackout", name, namespace=caller.namespace)
    present = _find(tx, caller, name)
    check_match(if_match, etag_of(name, present))
    _check_own(caller, present)
    windows.remove_blackout(tx, name, namespace=caller.namespace)
    return Removed(name=name)


def _visible(tx: Tx, caller: Caller) -> dict[str, Blackout]:
    """Return windows of all runs and of the queues and jobs that the caller sees, by name."""
    found = windows.blackouts(tx, namespace=caller.namespace)
    if caller.sees_all_queues:
        return found
    jobs = caller.visible_jobs(tx, {each.job for each in found.values() if each.job})
    return {
        name: each
        for name, each in found.items()
        if (each.job is None or each.job in jobs)
        and (each.queue is None or caller.sees(each.queue))
    }


def _find(tx: Tx, caller: Caller, name: str) -> Blackout:
    found = _visible(tx, caller).get(name)
    if found is None:
        raise UnknownBlackout(name)
    return found


def _blackout(body: BlackoutBody) -> Blackout:
    fields = {name: getattr(body, name) for name in body.__struct_fields__}
    return Blackout(**fields | {"trigger": body.trigger and _trigger(body.trigger)})


def _trigger(given: str | dict[str, Any]) -> Any:
    is_tagged = isinstance(given, dict) and "type" in given
    return read_trigger({"trigger": given} if is_tagged else given, field="trigger")


def _is_own(caller: Caller, window: Blackout) -> bool:
    """Whether the window is the caller's: without a queue, it holds back everybody's runs."""
    if caller.sees_all_queues:
        return True
    return window.queue is not None and caller.sees(window.queue)


def _check_own(caller: Caller, window: Blackout) -> None:
    if not _is_own(caller, window):
        raise NotPermitted("the credential reaches some queues; a window of it names one of them")


def _view(tx: Tx, caller: Caller, name: str, window: Blackout) -> BlackoutView:
    now = now_ms(tx)
    span = compile_blackout(window).span_from(now)
    return BlackoutView(
        name=name,
        **{field: getattr(window, field) for field in window.__struct_fields__},
        description=describe_window(window),
        begins_at=None if span is None else moment(span[0]),
        ends_at=None if span is None else moment(span[1]),
        is_now=span is not None and span[0] <= now,
        verbs=caller.may("edit", "delete") if _is_own(caller, window) else (),
    )
