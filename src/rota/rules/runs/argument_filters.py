"""Filters for arguments: `customer=acme` is a run whose argument of that name has that value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.errors import BadOption
from rota.model.runs.run import RunView

MOST_FILTERS = 10
LONGEST = 200


class ArgumentFilter(NamedTuple):
    """An argument and its value, as text or as JSON."""

    name: str
    value: str


def parse_filters(texts: Iterable[str] | None) -> tuple[ArgumentFilter, ...]:
    """Read `customer=acme`; BadOption says what is wrong."""
    found = tuple(dict.fromkeys(_parse(text) for text in texts or ()))
    if len(found) > MOST_FILTERS:
        raise BadOption(f"arg: {len(found)} filters are too many; give up to {MOST_FILTERS}")
    return found


def filter_texts(wanted: Mapping[str, Any] | Sequence[str] | None) -> list[str]:
    """Return filters as texts: of a mapping from names to values, or of texts as they are."""
    if wanted is None:
        return []
    if isinstance(wanted, Mapping):
        return [f"{name}={_as_text(value)}" for name, value in wanted.items()]
    return [wanted] if isinstance(wanted, str) else list(wanted)


def have_arguments(runs: Sequence[RunView], filters: Sequence[ArgumentFilter]) -> list[RunView]:
    """Return the runs whose arguments match all filters."""
    return [run for run in runs if _matches(run.args, filters)] if filters else list(runs)


def pattern_of(filters: Sequence[ArgumentFilter]) -> str | None:
    """Return a pattern that JSON with the first of these arguments matches, and some other too."""
    if not filters:
        return None
    name, value = (_escaped(json.dumps(each, ensure_ascii=False)) for each in filters[0])
    return f"%{name}:%{value[1:-1]}%"


def _parse(text: str) -> ArgumentFilter:
    name, equals, value = text.partition("=")
    if not name or not equals or len(text) > LONGEST or "\0" in text:
        raise BadOption(
            f"arg={text!r:.100} is not a filter: write name=value, of up to {LONGEST} characters"
        )
    return ArgumentFilter(name, value)


def _matches(args: str, filters: Sequence[ArgumentFilter]) -> bool:
    try:
        known = msgspec.json.decode(str(args))
    except msgspec.DecodeError:
        return False
    return isinstance(known, dict) and all(
        each.name in known and _is(known[each.name], each.value) for each in filters
    )


def _is(value: Any, text: str) -> bool:
    return text == _as_text(value)


def _as_text(value: Any) -> str:
    """Return a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _escaped(text: str) -> str:
    return re.sub(r"([!%_])", r"!\1", text)
