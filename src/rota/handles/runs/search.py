"""Searches for runs in the words of Python: mappings, datetimes and durations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from rota.errors import BadDuration, BadOption
from rota.rules.runs.argument_filters import filter_texts
from rota.rules.runs.labels import condition_texts, instant_text
from rota.rules.text.checks import hint
from rota.rules.text.duration import parse_duration

TIMES = ("since", "until", "scheduled_since", "scheduled_until")
PLAIN = ("schedule", "parent", "steps", "error", "text", "view")
NAMES = ("labels", "args", *TIMES, *PLAIN)


def search_fields(search: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters as `list_runs` takes them; BadOption for one that is unknown or bad."""
    for name in search:
        if name not in NAMES:
            raise BadOption(f"runs() has no filter {name!r:.64}.{hint(name, NAMES)}")
    fields = {name: search[name] for name in PLAIN if search.get(name) is not None}
    for name in TIMES:
        if search.get(name) is not None:
            fields[name] = _instant(name, search[name])
    fields["label"] = condition_texts(search.get("labels")) or None
    fields["arg"] = filter_texts(search.get("args")) or None
    return fields


def saved_fields(search: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters as a saved view keeps them: a duration stays one."""
    times = {name: search[name] for name in TIMES if search.get(name) is not None}
    fields = search_fields({k: v for k, v in search.items() if k not in TIMES})
    kept = {name: value for name, value in fields.items() if value is not None}
    for name in ("view", "parent"):
        if name in kept:
            raise BadOption(f"a saved view has no filter {name!r}")
    return kept | {name: _text(name, value) for name, value in times.items()}


def _instant(name: str, value: datetime | timedelta | str | float) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    try:
        return datetime.now(UTC) - timedelta(milliseconds=parse_duration(value))
    except BadDuration as error:
        raise BadOption(f"{name}: {error}") from error


def _text(name: str, value: datetime | timedelta | str | float) -> str:
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise BadOption(f"{name}={value!r:.64} is a time without a zone")
        return instant_text(value)
    return value if isinstance(value, str) else f"{parse_duration(value)}ms"
