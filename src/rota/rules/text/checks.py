"""Checks that several options share; BadOption names the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rota.errors import BadDuration, BadOption
from rota.rules.text.duration import parse_duration


def whole_number(field: str, value: object, low: int, high: int) -> int:
    """Return the number if it is one from low to high."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadOption(f"{field}={value!r:.64} is not a number from {low:,} to {high:,}")
    return value


def one_of(field: str, value: object, choices: Iterable[str]) -> Any:
    """Return one of some words; `modified-following` is `modified_following`."""
    words = list(choices)
    word = value.strip().lower().replace("-", "_") if isinstance(value, str) else value
    if word not in words:
        raise BadOption(
            f"{field}={value!r:.64} is not one of {', '.join(words)}.{hint(word, words)}"
        )
    return word


def duration_ms(field: str, value: Any) -> int:
    """Return the milliseconds of a duration; BadDuration names the field."""
    try:
        return parse_duration(value)
    except BadDuration as error:
        raise BadDuration(f"{field}: {error}") from error


def positive_ms(field: str, value: Any) -> int:
    """Return the milliseconds of a duration above zero."""
    ms = duration_ms(field, value)
    if ms == 0:
        raise BadOption(f"{field}={value!r:.64} is zero; leave it out instead")
    return ms


def hint(value: object, words: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` with the space before it, or nothing."""
    import difflib  # noqa: PLC0415  # only a refusal needs it

    close = difflib.get_close_matches(str(value)[:64], list(words), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def at_place(places: Mapping[str, str] | None, name: str) -> str:
    """Return `f.yaml:3:5: ` for a name that stands in a file, else nothing."""
    return f"{places[name]}: " if places and name in places else ""
