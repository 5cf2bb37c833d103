"""Whether a result fits an argument, as far as their annotations tell.

Only what cannot be right is refused: an annotation we do not know may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from rota.rules.signature import Signature

MAX_CHARS = 512
_TOKEN = re.compile(r"\s*([A-Za-z_][\w.]*|\.\.\.|[\[\],|]|'[^']*'|\"[^\"]*\")")
_MAX_DEPTH = 20

_SCALARS = {"str": "text", "bool": "truth", "int": "whole", "float": "number", "None": "nothing"}
_LISTS = frozenset({"list", "tuple", "set", "frozenset", "List", "Tuple", "Set", "Sequence"})
_ITERABLES = frozenset({"Iterable", "Collection", "Iterator"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict"})


class JobFacts(NamedTuple):
    """What is known of a job or a graph that stands in a node."""

    parameters: Mapping[str, str]
    """Name to annotation."""
    result: str = "Any"
    required: frozenset[str] | None = None
    """Parameters without a default; None if that is not known."""
    takes_more: bool = False
    """Whether it takes arguments of any name."""


def facts_of(signature: Signature) -> JobFacts:
    """What a Python signature tells."""
    return JobFacts(
        signature.parameters,
        result=signature.result,
        required=signature.required,
        takes_more=signature.takes_more,
    )


class Annotation(NamedTuple):
    """An annotation taken apart; the members of a union are its alternatives."""

    name: str
    inner: tuple[Annotation, ...] = ()


_ANY = Annotation("Any")


def fits(result: str, parameter: str) -> bool:
    """Whether a value of one may be given where the other is asked for."""
    return _fits(parsed(result), parsed(parameter))


def element_of(annotation: str) -> str | None:
    """The annotation of the items of a list; `Any` if unknown, None if it is no list at all."""
    kinds = [each for each in _members(parsed(annotation)) if each.name != "None"]
    elements = [_element(each) for each in kinds]
    if kinds and all(each is None for each in elements):
        return None
    return written(elements[0]) if len(elements) == 1 and elements[0] is not None else "Any"


def written(kind: Annotation) -> str:
    if kind.name == "|":
        return " | ".join(map(written, kind.inner))
    return f"{kind.name}[{', '.join(map(written, kind.inner))}]" if kind.inner else kind.name


@lru_cache(maxsize=4_096)
def parsed(text: str) -> Annotation:
    """The annotation as a tree; what cannot be read is Any."""
    tokens = _TOKEN.findall(text) if len(text) <= MAX_CHARS else []
    if "".join(tokens) != "".join(text.split()):
        return _ANY
    kind, rest = _union(tokens, 0)
    return _ANY if rest else kind


def _union(tokens: list[str], depth: int) -> tuple[Annotation, list[str]]:
    first, tokens = _one(tokens, depth)
    members = [first]
    while tokens and tokens[0] == "|":
        following, tokens = _one(tokens[1:], depth)
        members.append(following)
    return (Annotation("|", tuple(members)) if len(members) > 1 else first), tokens


def _one(tokens: list[str], depth: int) -> tuple[Annotation, list[str]]:
    if not tokens or depth > _MAX_DEPTH or not (tokens[0][0].isalpha() or tokens[0][0] == "_"):
        return _ANY, tokens[1:]
    name = tokens[0].rpartition(".")[2]
    tokens = tokens[1:]
    inner: list[Annotation] = []
    while tokens and tokens[0] in ("[" if not inner else ","):
        each, tokens = _union(tokens[1:], depth + 1)
        inner.append(each)
    if inner:
        tokens = tokens[1:]
    return _named("None" if name == "NoneType" else name, tuple(inner)), tokens


def _named(name: str, inner: tuple[Annotation, ...]) -> Annotation:
    if name == "Optional":
        return Annotation("|", (*inner, Annotation("None")))
    if name == "Union":
        return Annotation("|", inner)
    if name == "Annotated":
        return inner[0] if inner else _ANY
    return Annotation(name, inner)


def _members(kind: Annotation) -> tuple[Annotation, ...]:
    if kind.name != "|":
        return (kind,)
    return tuple(member for each in kind.inner for member in _members(each))


def _fits(given: Annotation, wanted: Annotation) -> bool:
    return any(_member_fits(one, two) for one in _members(given) for two in _members(wanted))


def _member_fits(given: Annotation, wanted: Annotation) -> bool:
    one, two = _family(given), _family(wanted)
    if "unknown" in (one, two):
        return True
    if one != two:
        return (one, two) == ("whole", "number")
    if one == "list":
        return _fits(_element(given) or _ANY, _element(wanted) or _ANY)
    if one == "mapping":
        return _fits(_value(given), _value(wanted))
    return True


def _family(kind: Annotation) -> str:
    if kind.name in _SCALARS:
        return _SCALARS[kind.name]
    if kind.name in _LISTS:
        return "list"
    return "mapping" if kind.name in _MAPPINGS else "unknown"


def _element(kind: Annotation) -> Annotation | None:
    """Of a list its items, None for what is surely no list."""
    if kind.name in _LISTS | _ITERABLES:
        is_same = len(kind.inner) == 1 or (kind.name in ("tuple", "Tuple") and _ANY in kind.inner)
        return kind.inner[0] if kind.inner and is_same else _ANY
    return _ANY if _family(kind) == "unknown" else None


def _value(kind: Annotation) -> Annotation:
    return kind.inner[1] if len(kind.inner) == 2 else _ANY  # noqa: PLR2004
