"""Templates of jobs: `${name}` stands for a parameter, `$$` for a dollar sign.

A text that is exactly one parameter becomes its value, a number for example. In the words of a
command and the parts of a request a value stays one piece: it does not split into words, and its
braces are no placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from rota.errors import BadArguments, BadOption
from rota.model.jobs.template import Blank, Kind, Template
from rota.rules.jobs.files.words import split_words
from rota.rules.text.checks import hint

Value = str | int | float | bool

MOST = 100
"""The most parameters of a template."""
_PRIVATE = 0xF0000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_TOKEN = re.compile(r"\$\$|\$\{([^}]*)\}|\$")
_PYTHON: Mapping[Kind, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def check_template(template: Template) -> Template:
    """Check that every blank is declared and every parameter used; BadOption names it."""
    if len(template.parameters) > MOST:
        raise BadOption(f"parameters: {len(template.parameters)} are more than {MOST}")
    for name, blank in template.parameters.items():
        if not _NAME.fullmatch(name):
            raise BadOption(
                f"parameters: {name!r:.80} is not a name; use letters, digits and _",
                parameter=name,
            )
        for given in (
            *blank.choices,
            *(() if blank.default is msgspec.UNSET else (blank.default,)),
        ):
            _check_value(name, blank, given)
    used: set[str] = set()
    for field, value in _fields(template.definition):
        for name in _blanks(field, value):
            if name not in template.parameters:
                message = f"definition: ${{{name}}} is not a parameter."
                raise BadOption(message + hint(name, template.parameters), field=field)
            used.add(name)
    for name in template.parameters:
        if name not in used:
            raise BadOption(f"parameters: the definition has no ${{{name}}}", parameter=name)
    return template


def fill_template(template: Template, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition with its blanks filled; BadArguments names an unfit value."""
    values: dict[str, Value] = {}
    for name in given:
        if name not in template.parameters:
            known = template.parameters
            raise BadArguments(f"the template has no parameter {name!r:.64}.{hint(name, known)}")
    for name, blank in template.parameters.items():
        value = given.get(name, blank.default)
        if value is msgspec.UNSET:
            raise BadArguments(f"the template needs the parameter {name}")
        _check_value(name, blank, value)
        values[name] = value
    return {key: _filled(key, each, values) for key, each in template.definition.items()}


def schema_of(template: Template) -> dict[str, Any]:
    """Return the JSON Schema of the template's parameters."""
    properties: dict[str, Any] = {}
    for name, blank in template.parameters.items():
        known: dict[str, Any] = {"type": blank.type}
        if blank.description:
            known["description"] = blank.description
        if blank.choices:
            known["enum"] = list(blank.choices)
        if blank.default is not msgspec.UNSET:
            known["default"] = blank.default
        properties[name] = known
    needed = [name for name, blank in template.parameters.items() if blank.default is msgspec.UNSET]
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def _check_value(name: str, blank: Blank, value: object) -> None:
    kinds = _PYTHON[blank.type]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise BadArguments(f"parameter {name}: {value!r:.64} is no {blank.type}", parameter=name)
    if blank.choices and value not in blank.choices:
        shown = ", ".join(map(str, blank.choices[:10]))
        raise BadArguments(f"parameter {name}: {value!r:.64} is not one of {shown}", parameter=name)


def _filled(key: str, value: Any, values: Mapping[str, Value]) -> Any:
    if key == "command" and isinstance(value, str):
        value = _words(value)
    if key == "http" and isinstance(value, dict):
        return {
            name: _walk(each, partial(_text if name == "expect" else _piece, values=values))
            for name, each in value.items()
        }
    is_piece = key in ("command", "env")
    return _walk(value, partial(_piece if is_piece else _text, values=values))


def _words(line: str) -> list[str]:
    """Split a command line before values are filled in; a blank is one sign meanwhile."""
    blanks = [token[0] for token in _TOKEN.finditer(line)]
    signs = {chr(_PRIVATE + number): blank for number, blank in enumerate(blanks)}
    if any(sign in line for sign in signs):
        raise BadOption(
            "command: it holds signs of the private use area; give a list of words",
            field="command",
        )
    fresh = iter(signs)
    words = split_words(_TOKEN.sub(lambda _: next(fresh), line))
    return ["".join(signs.get(sign, sign) for sign in word) for word in words]


def _walk(value: Any, change: Callable[[str], Any]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_walk(each, change) for each in value]
    if isinstance(value, dict):
        return {key: _walk(each, change) for key, each in value.items()}
    return value


def _text(text: str, values: Mapping[str, Value]) -> Any:
    """Fill in a text; a text that is one blank becomes the value itself."""
    whole = _TOKEN.fullmatch(text)
    if whole is not None and whole[1] is not None:
        return values[whole[1]]
    return _TOKEN.sub(lambda token: "$" if token[1] is None else _plain(values[token[1]]), text)


def _piece(text: str, values: Mapping[str, Value]) -> str:
    """Fill in a text where `{name}` stands for an argument; braces in values are escaped."""
    return _TOKEN.sub(
        lambda token: "$" if token[1] is None else _braced(_plain(values[token[1]])), text
    )


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _braced(value: str) -> str:
    return value.replace("{", "{{").replace("}", "}}")


def _fields(definition: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a definition; those of its request as `http.url`."""
    for name, value in definition.items():
        if name == "http" and isinstance(value, dict):
            yield from ((f"http.{part}", each) for part, each in value.items())
        else:
            yield name, value


def _blanks(field: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        for token in _TOKEN.finditer(value):
            if token[0] == "$":
                raise BadOption(
                    f"definition: {value!r:.80} has a lone $; write ${{name}} for a parameter and "
                    "$$ for a dollar sign",
                    field=field,
                )
            if token[1] is not None:
                yield token[1]
    elif isinstance(value, list):
        for each in value:
            yield from _blanks(field, each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _blanks(field, each)
