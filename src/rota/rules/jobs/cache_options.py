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


def parse_cache(given: object, parameters: Mapping[str, Any] | None = None) -> Cache | None:
    """Read the option `cache=`; BadOption says what is wrong. A key may mention parameters only."""
    if given is None:
        return None
    cache = _cache(given)
    try:
        _check_ttl(cache.ttl)
        _check_key(cache.key, parameters)
    except BadInput as error:
        raise BadOption(f"cache={given!r:.64}: {error}") from error
    return cache


def _cache(given: object) -> Cache:
    if isinstance(given, Cache):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Cache(ttl=f"{given}s")
    if isinstance(given, str):
        return Cache(ttl=given)
    try:
        return msgspec.convert(given, type=Cache)
    except msgspec.ValidationError as error:
        raise BadOption(f"cache={given!r:.64}: {error}; {_EXAMPLE}") from error


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
