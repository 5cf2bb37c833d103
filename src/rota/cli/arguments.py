"""Arguments of a job on the command line: `name=value`, or values in the job's order.

A value that is JSON is taken as JSON, anything else as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.errors import BadArguments
from rota.rules.text.json_keys import check_keys

_PAIR = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


class Arguments(NamedTuple):
    """The arguments of a call of a job."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def parse(
    words: Sequence[str],
    json_args: str | None,
    *,
    hints: Mapping[str, str],
    more: Callable[[], str | None] = lambda: None,
) -> Arguments:
    """Parse the words; `hints` maps the parameters to their annotations, in order.

    `more` returns the annotation of other names, and is called only if there are any.
    """
    args: list[Any] = []
    kwargs = _object(json_args) if json_args is not None else {}
    names = list(hints)
    for word in words:
        pair = _PAIR.fullmatch(word)
        if pair is None:
            name = names[len(args)] if len(args) < len(names) else ""
            args.append(_value(word, hints.get(name)))
        elif pair[1] in kwargs:
            raise BadArguments(f"{pair[1]} is given twice")
        else:
            hint = hints[pair[1]] if pair[1] in hints else more()
            kwargs[pair[1]] = _value(pair[2], hint)
    return Arguments(tuple(args), kwargs)


def _value(text: str, hint: str | None) -> Any:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text
    if isinstance(value, dict | list):
        check_keys(text)
    # A text such as an order number 00123 or 42 stays as it was typed.
    return text if hint == "str" and not isinstance(value, str) else value


def _object(text: str) -> dict[str, Any]:
    check_keys(text)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        example = '{"width": 200}'
        raise BadArguments(f"--json-args is not an object such as {example}: {error}") from error
