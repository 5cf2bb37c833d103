"""The cache of a job: how long a result may be reused, and what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.errors import BadGraph, BadInput, BadOption
from rota.model.graphs.graph import Cache
from rota.rules.graphs.expressions.cel import Expression, Names
from rota.rules.graphs.references import mentions, parse_path
from rota.rules.text.duration import parse_duration

_EXAMPLE = 'write "1h", or {"ttl": "1h", "key": {"$param": "day"}}'


def parse_cache(value: object, parameters: Mapping[str, Any] | None = None) -> Cache | None:
    """Read the option `cache=`; BadOption says what is wrong. A key may mention parameters only."""
    if value is None:
        return None
    cache = _cache(value)
    try:
        _check_ttl(cache.ttl)
        _check_key(cache.key, parameters)
    except BadInput as error:
        raise BadOption(f"cache={value!r:.64}: {error}") from error
    return cache


def _cache(value: object) -> Cache:
    if isinstance(value, Cache):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Cache(ttl=f"{value}s")
    if isinstance(value, str):
        return Cache(ttl=value)
    try:
        return msgspec.convert(value, type=Cache)
    except msgspec.ValidationError as error:
        raise BadOption(f"cache={value!r:.64}: {error}; {_EXAMPLE}") from error


def _check_ttl(ttl: str | None) -> None:
    if ttl is not None and parse_duration(ttl) == 0:
        raise BadOption("it is zero; leave it out instead")


def _check_key(key: Any, parameters: Mapping[str, Any] | None) -> None:
    for mention in mentions(key, "key"):
        if mention.form == "$param":
            name = parse_path(mention.text).name
            if parameters is not None and name not in parameters:
                raise BadGraph(f"key: there is no parameter {name!r:.64}")
        elif mention.form == "$expr":
            names = None if parameters is None else Names({}, parameters)
            parsed = Expression.parse(mention.text, names, where="key")
            if parsed.mentioned.nodes:
                raise BadGraph(f"key: {mention.text:.80} mentions nodes, which a job does not know")
        elif mention.form != "$literal":
            raise BadGraph(f"key: {mention.form} belongs to a node of a graph; {_EXAMPLE}")
