"""The filters of a list of runs: those of a request over those of a saved view."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from rota.clock import to_ms
from rota.engine.runs.find import now_ms
from rota.engine.runs.search.saved_views import saved_view
from rota.errors import BadInput, BadOption
from rota.model.runs.saved_view import SavedFilter
from rota.operations.caller import Caller
from rota.operations.instants import instant_ms_or_none
from rota.rules.runs.argument_filters import parse_filters
from rota.rules.runs.labels import parse_conditions
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

DAY_MS = 86_400_000
TIMES = ("since", "until", "scheduled_since", "scheduled_until")
_LISTS = ("label", "arg")


def search_of(
    tx: Tx,
    caller: Caller,
    given: Mapping[str, Any],
    *,
    view: str | None = None,
    looks_back: bool = True,
) -> dict[str, Any]:
    """Return the filters as `engine.runs.lists.page` takes them.

    What is given goes before what the view says; labels and arguments of both must match. With
    `looks_back` a search through texts that gives no time is about the last day.
    """
    saved = (
        SavedFilter() if view is None else saved_view(tx, view, namespace=caller.namespace).filter
    )
    wanted = {**msgspec.structs.asdict(saved), **{k: v for k, v in given.items() if v is not None}}
    for name in _LISTS:
        wanted[name] = (*getattr(saved, name), *(given.get(name) or ()))
    wanted["steps"] = bool(given.get("steps", True)) and saved.steps
    times = {name: _instant(tx, name, wanted.get(name)) for name in TIMES}
    args = parse_filters(wanted.pop("arg"))
    if looks_back and (wanted.get("text") is not None or args) and times["since"] is None:
        times["since"] = now_ms(tx) - DAY_MS
    return {
        **{
            name: value for name, value in wanted.items() if name not in ("label", "status", *TIMES)
        },
        **times,
        "state": wanted.get("status"),
        "labels": parse_conditions(wanted["label"]),
        "args": args,
    }


def check_filter(wanted: SavedFilter) -> SavedFilter:
    """Return the filter of a view if all of it can be read; BadInput says what cannot."""
    parse_conditions(wanted.label)
    parse_filters(wanted.arg)
    for name in TIMES:
        _read_time(name, getattr(wanted, name))
    return wanted


def _instant(tx: Tx, name: str, value: datetime | str | None) -> int | None:
    if not isinstance(value, str):
        return instant_ms_or_none(name, value)
    read = _read_time(name, value)
    return now_ms(tx) - read if isinstance(read, int) else instant_ms_or_none(name, read)


def _read_time(name: str, text: str | None) -> datetime | int | None:
    """Return the instant, or the milliseconds of a duration."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        pass
    else:
        if instant.tzinfo is None:
            raise BadInput(f"{name} needs a zone: write 2026-01-31T08:00:00Z")
        to_ms(instant)
        return instant
    try:
        return parse_duration(text)
    except BadInput as error:
        raise BadOption(
            f"{name}={text!r:.64} is neither an instant such as 2026-01-31T08:00:00Z "
            "nor a duration such as 2h"
        ) from error
