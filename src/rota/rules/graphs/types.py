"""Check by their annotations whether a result fits an argument.

Only certain mismatches are refused: an unknown annotation may be anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rota.rules.jobs.annotations import ANY, Annotation, parsed, written
from rota.rules.jobs.signature import Signature

_SCALARS = {"str": "text", "bool": "truth", "int": "whole", "float": "number", "None": "nothing"}
_LISTS = frozenset({"list", "tuple", "set", "frozenset", "List", "Tuple", "Set", "Sequence"})
_ITERABLES = frozenset({"Iterable", "Collection", "Iterator"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict"})


class JobFacts(NamedTuple):
    """The facts about a job or graph that a node runs."""

    parameters: Mapping[str, str]
    """The annotation of each parameter."""
    result: str = "Any"
    required: frozenset[str] | None = None
    """The parameters without a default; None if unknown."""
    takes_more: bool = False
    """Whether it takes arguments of any name."""
    kinds: Mapping[str, Any] = {}
    """The types of parameters that have more on record than an annotation."""


def facts_of(signature: Signature) -> JobFacts:
    """Return the facts that a Python signature gives."""
    return JobFacts(
        signature.parameters,
        result=signature.result,
        required=signature.required,
        takes_more=signature.takes_more,
    )


def fits(result: str, parameter: str) -> bool:
    """Whether a value annotated `result` may be passed as `parameter`."""
    return _fits(parsed(result), parsed(parameter))


def element_of(annotation: str) -> str | None:
    """Return the annotation of a list's items; `Any` if unknown, None if it is not a list."""
    kinds = [each for each in _members(parsed(annotation)) if each.name != "None"]
    elements = [_element(each) for each in kinds]
    if kinds and all(each is None for each in elements):
        return None
    return written(elements[0]) if len(elements) == 1 and elements[0] is not None else "Any"


def _members(kind: Annotation) -> tuple[Annotation, ...]:
    if kind.name != "|":
        return (kind,)
    return tuple(member for each in kind.inner for member in _members(each))


def _fits(source: Annotation, target: Annotation) -> bool:
    return any(_member_fits(one, two) for one in _members(source) for two in _members(target))


def _member_fits(source: Annotation, target: Annotation) -> bool:
    one, two = _family(source), _family(target)
    if "unknown" in (one, two):
        return True
    if one != two:
        return (one, two) == ("whole", "number")
    if one == "list":
        return _fits(_element(source) or ANY, _element(target) or ANY)
    if one == "mapping":
        return _fits(_value(source), _value(target))
    return True


def _family(kind: Annotation) -> str:
    if kind.name in _SCALARS:
        return _SCALARS[kind.name]
    if kind.name in _LISTS:
        return "list"
    return "mapping" if kind.name in _MAPPINGS else "unknown"


def _element(kind: Annotation) -> Annotation | None:
    """Return the items' annotation of a list, None for a type that is certainly no list."""
    if kind.name in _LISTS | _ITERABLES:
        is_same = len(kind.inner) == 1 or (kind.name in ("tuple", "Tuple") and ANY in kind.inner)
        return kind.inner[0] if kind.inner and is_same else ANY
    return ANY if _family(kind) == "unknown" else None


def _value(kind: Annotation) -> Annotation:
    return kind.inner[1] if len(kind.inner) == 2 else ANY  # noqa: PLR2004
