"""Checks that several options share; BadOption names the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rota.errors import BadDuration, BadOption
from rota.rules.text.duration import parse_duration


def whole_number(field: str, given: object, low: int, high: int) -> int:
    """Return the number if it is one from low to high."""
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise BadOption(f"{field}={given!r:.64} is not a number from {low:,} to {high:,}")
    return given


def one_of(field: str, given: object, known: Iterable[str]) -> Any:
    """Return one of some words; `modified-following` is `modified_following`."""
    words = list(known)
    word = given.strip().lower().replace("-", "_") if isinstance(given, str) else given
    if word not in words:
        raise BadOption(
            f"{field}={given!r:.64} is not one of {', '.join(words)}.{hint(word, words)}"
        )
    return word


def duration_ms(field: str, given: Any) -> int:
    """Return the milliseconds of a duration; BadDuration names the field."""
    try:
        return parse_duration(given)
    except BadDuration as error:
        raise BadDuration(f"{field}: {error}") from error


def positive_ms(field: str, given: Any) -> int:
    """Return the milliseconds of a duration above zero."""
    ms = duration_ms(field, given)
    if ms == 0:
        raise BadOption(f"{field}={given!r:.64} leaves no time at all; leave it out instead")
    return ms


def hint(given: object, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` with the space before it, or nothing."""
    import difflib  # noqa: PLC0415  # only a refusal needs it

    close = difflib.get_close_matches(str(given)[:64], list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def at_place(places: Mapping[str, str] | None, name: str) -> str:
    """Return `f.yaml:3:5: ` for a name that stands in a file, else nothing."""
    return f"{places[name]}: " if places and name in places else ""
