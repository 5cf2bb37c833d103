"""References in values: find them, and replace them once the values are known.

`rota.model.graphs.graph` describes the forms. All work here is bounded by the size of the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from rota.errors import BadGraph
from rota.rules.runs.times import check_field, run_value

MAX_DEPTH = 32
MAX_PATH = 256
MAX_NAME = 64
ERROR_PARTS = ("type", "message")
"""The parts of a node's error that references can read."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_STEP = re.compile(
    r"""\.(?P<field>[A-Za-z_][A-Za-z0-9_]*)
      | \[(?P<index>-?[0-9]{1,9})\]
      | \[(?P<quote>['"])(?P<key>[^'"\]]*)(?P=quote)\]""",
    re.VERBOSE,
)

_COMPOSED = (dict, list, tuple)

Step = str | int
Evaluate = Callable[[str], Any]


class Reference:
    """A Python object that stands for a later value, and knows its written form."""

    def value(self) -> dict[str, Any]:
        raise NotImplementedError


class Path(NamedTuple):
    """A name and the path from its value to a part of it."""

    name: str
    steps: tuple[Step, ...] = ()


class Mention(NamedTuple):
    """One `$` object in a value, and its place."""

    form: str
    text: str
    place: str


class Known(NamedTuple):
    """The replacements for references: values by name, and an evaluator of expressions."""

    results: Mapping[str, Any]
    params: Mapping[str, Any]
    evaluate: Evaluate
    item: Any = None
    run: Mapping[str, Any] = MappingProxyType({})
    """The facts of the run, by the names in `rota.rules.runs.times`."""
    errors: Mapping[str, Any] = MappingProxyType({})
    """The errors of nodes; None for a node that did not fail."""


NOTHING = Known({}, {}, str)
"""The replacements for values without references."""


def is_name(text: object) -> bool:
    """Whether the text can name a node or a parameter, in expressions too."""
    return isinstance(text, str) and bool(_NAME.fullmatch(text))


@lru_cache(maxsize=8_192)
def parse_path(text: str) -> Path:
    """Parse `load.rows[0].id` into a name and steps; BadGraph if it is malformed."""
    if len(text) <= MAX_NAME and text.isidentifier() and text.isascii():
        return Path(text)
    match = _NAME.match(text) if len(text) <= MAX_PATH else None
    if match is None:
        raise BadGraph(f"{text!r:.64} is not a reference; write load, load.rows or load.rows[0].id")
    return Path(match[0], parse_steps(text[match.end() :]))


def parse_steps(text: str) -> tuple[Step, ...]:
    """Parse `.rows[0].id` into steps."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or len(text) > MAX_PATH:
            raise BadGraph(f"{text!r:.64} is not a path into a value; write .rows[0].id")
        index = match["index"]
        steps.append(int(index) if index is not None else match["field"] or match["key"])
        at = match.end()
    return tuple(steps)


def mentions(value: Any, place: str = "") -> Iterator[Mention]:
    """Yield every `$` object in the value; BadGraph for an unknown form."""
    return _mentions(value, place, 0)


def _mentions(value: Any, place: str, depth: int) -> Iterator[Mention]:
    if depth > MAX_DEPTH:
        raise BadGraph(f"{place:.64}: the value is nested more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        form = form_of(value, place)
        if form is None:
            for key, each in value.items():
                if isinstance(each, _COMPOSED):
                    yield from _mentions(each, f"{place}.{key}" if place else str(key), depth + 1)
        elif form != "$literal":
            yield Mention(form, value[form], place)
    elif isinstance(value, (list, tuple)):
        for at, each in enumerate(value):
            if isinstance(each, _COMPOSED):
                yield from _mentions(each, f"{place}[{at}]", depth + 1)


def form_of(value: Mapping[str, Any], place: str = "") -> str | None:
    """Return `$ref` or another form if the object is a reference, else None."""
    form = next(iter(value), None) if len(value) == 1 else None
    if not isinstance(form, str) or not form.startswith("$"):
        return None
    if form not in FORMS:
        raise BadGraph(
            f"{place:.64}: {form!r:.40} is none of {', '.join(FORMS)}; "
            'an object that just looks so is written {"$literal": ...}'
        )
    if form != "$literal" and not isinstance(value[form], str):
        raise BadGraph(f"{place:.64}: {form} takes a text, not {value[form]!r:.40}")
    return form


def resolve(value: Any, values: Known) -> Any:
    """Return the value with all references replaced; BadGraph names a part that is missing."""
    if isinstance(value, dict):
        form = form_of(value)
        if form is not None:
            return FORMS[form](value[form], values)
        return {key: resolve(each, values) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(each, values) for each in value]
    return value


def follow(value: Any, steps: tuple[Step, ...], *, label: str) -> Any:
    """Return a part of a value; a part of null is null, other missing parts raise BadGraph."""
    way = label
    for step in steps:
        if value is None:
            return None
        way += f"[{step}]" if isinstance(step, int) else f".{step}"
        fits = isinstance(value, list) if isinstance(step, int) else isinstance(value, dict)
        try:
            value = value[step] if fits else _refuse(way, value)
        except (KeyError, IndexError):
            _refuse(way, value)
    return value


def _refuse(way: str, value: Any) -> Any:
    if isinstance(value, dict):
        keys = ", ".join(map(str, list(value)[:10]))
        has = f"there are: {keys}" if value else "it is an empty object"
    elif isinstance(value, list):
        has = f"it is a list of {len(value):,}"
    else:
        has = f"it is {value!r:.40}, {kind_of(value)}"
    raise BadGraph(f"{way:.80} is not there; {has}")


def kind_of(value: object) -> str:
    """Return the JSON type of a value in words."""
    for kind, words in _KINDS:
        if isinstance(value, kind):
            return words
    return type(value).__name__


_KINDS: tuple[tuple[type, str], ...] = (
    (str, "a text"),
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (dict, "an object"),
    (list, "a list"),
    (type(None), "null"),
)


def _ref(text: str, values: Known) -> Any:
    path = parse_path(text)
    return follow(values.results.get(path.name), path.steps, label=path.name)


def _error(text: str, values: Known) -> Any:
    path = parse_path(text)
    return follow(values.errors.get(path.name), path.steps, label=f"{path.name}.error")


def _param(text: str, values: Known) -> Any:
    path = parse_path(text)
    return follow(values.params.get(path.name), path.steps, label=path.name)


def item_steps(text: str) -> tuple[Step, ...]:
    """Return the steps of `{"$item": "name[0]"}`; the first field needs no dot."""
    return parse_steps(f".{text}" if text and text[0] not in ".[" else text)


def _item(text: str, values: Known) -> Any:
    return follow(values.item, item_steps(text), label="item")


def _run(text: str, values: Known) -> Any:
    check_field(text)
    return run_value(values.run, text)


def _expr(text: str, values: Known) -> Any:
    return values.evaluate(text)


def _literal(value: Any, _: Known) -> Any:
    return value


FORMS: Mapping[str, Callable[[Any, Known], Any]] = {
    "$ref": _ref,
    "$error": _error,
    "$param": _param,
    "$item": _item,
    "$run": _run,
    "$expr": _expr,
    "$literal": _literal,
}
