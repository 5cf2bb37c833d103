"""Convert values to JSON and back: kinds that msgspec lacks, and values that JSON cannot hold.

Errors here are plain ValueErrors; the caller adds which argument or result it was.
"""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any

import msgspec

MAX_ARGS_BYTES = 1_000_000
MAX_RESULT_BYTES = 1_000_000

UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError)
UNDECODABLE = (msgspec.MsgspecError, ValueError, RecursionError)
NOT_FINITE = "NaN and infinity are not JSON"


class _Admitting(type):
    """Passes the instance check of msgspec; the hook has already checked the value."""

    def __instancecheck__(cls, instance: object) -> bool:
        return True


class UntaggedUnion(metaclass=_Admitting):
    """A union that msgspec cannot tell apart; subclasses hold the members."""

    members: tuple[Any, ...] = ()


def is_pydantic(kind: type) -> bool:
    """Whether a type is a model of pydantic, which need not be installed."""
    return hasattr(kind, "model_validate_json") and hasattr(kind, "model_dump")


def enc_hook(value: Any) -> object:
    """Give paths and pydantic models a JSON form; refuse the rest by name."""
    if isinstance(value, PurePath):
        return str(value)
    if is_pydantic(type(value)):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__qualname__} is not JSON; pass its id, or make it a dataclass")


def dec_hook(kind: type, value: object) -> object:
    """Read the kinds of `enc_hook`; msgspec adds the path of the value to the error."""
    if kind is object:
        return value
    if issubclass(kind, UntaggedUnion):
        return _first_that_fits(kind.members, value)
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    if is_pydantic(kind):
        # From JSON text, not from Python values: a strict model takes a date only this way.
        return kind.model_validate_json(ENCODER.encode(value))  # type: ignore[attr-defined]  # duck-typed
    raise TypeError(f"Expected `{kind.__qualname__}`, got `{type(value).__name__}`")


ENCODER = msgspec.json.Encoder(enc_hook=enc_hook)
SORTED_ENCODER = msgspec.json.Encoder(enc_hook=enc_hook, order="deterministic")


def _first_that_fits(members: tuple[Any, ...], value: object) -> object:
    """Prefer the member that gives the same JSON back, else the first that can read it."""
    fits = []
    for member in members:
        try:
            read = msgspec.convert(value, member, dec_hook=dec_hook)
        except msgspec.ValidationError:
            continue
        if msgspec.json.decode(SORTED_ENCODER.encode(read)) == value:
            return read
        fits.append(read)
    if not fits:
        names = " | ".join(getattr(member, "__name__", str(member)) for member in members)
        raise TypeError(f"Expected `{names}`, got `{type(value).__name__}`")
    return fits[0]


def refuse_nan(value: object) -> None:
    """Raise ValueError when a NaN or an infinity hides anywhere in the value.

    msgspec writes them as null, so this is needed only where the JSON text holds a null.
    """
    _walk(msgspec.to_builtins(value, str_keys=True, enc_hook=enc_hook))


def _walk(value: object) -> None:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(NOT_FINITE)
    elif isinstance(value, dict):
        for item in value.values():
            _walk(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            _walk(item)


def in_words(error: BaseException) -> str:
    """Say what JSON could not hold; paths come first: `width: Expected ...`."""
    if isinstance(error, RecursionError):
        return "the value contains itself, or is nested too deeply"
    if isinstance(error, UnicodeEncodeError):
        return "text with a lone surrogate is not JSON"
    text, at, path = str(error).rpartition(" - at `$.")
    return f"{path.rstrip('`')}: {text}" if at else str(error)
