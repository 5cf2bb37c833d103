"""Parameters that a file declares: the type and the default of each."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from rota.errors import BadOption
from rota.rules.jobs.files.field import Field
from rota.rules.jobs.signature.plain import misfit, plain_kind

_NAMES = {
    "integer": "int",
    "number": "float",
    "string": "str",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
"""The JSON Schema names of types, mapped to annotations."""


class DeclaredParameters(NamedTuple):
    """The parameters that a file declares for a function."""

    parameters: dict[str, str]
    """The annotation of each parameter."""
    defaults: dict[str, Any] | UnsetType = UNSET
    """The defaults of optional parameters; unset if the file declares no parameters."""


def read_parameters(field: Field | None) -> DeclaredParameters:
    """Read parameters: `stop: int` is required, `stop: {type: int, default: 5}` is optional."""
    if field is None or not field.value:
        return DeclaredParameters({})
    parameters: dict[str, str] = {}
    defaults: dict[str, Any] = {}
    for name, each in field.fields().items():
        if not name.isidentifier():
            raise each.refusal(f"{name!r:.64} is not the name of a parameter")
        parameters[name], default = _one(each)
        if default is not UNSET:
            defaults[name] = default
        with each.blamed():
            check_parameter(name, parameters[name], default)
    return DeclaredParameters(parameters, defaults)


def check_parameter(name: str, annotation: str, default: Any) -> None:
    """Raise BadOption for a default of another type, or for a type under its JSON name."""
    if annotation in _NAMES:
        raise BadOption(f"there is no type {annotation!r}; write {_NAMES[annotation]}")
    if default is UNSET or default is None:
        return
    wrong = misfit("default", default, plain_kind(annotation))
    if wrong is not None:
        raise BadOption(f"{wrong}; {name} is {annotation}")


def _one(field: Field) -> tuple[str, Any]:
    """Return the type and the default, which is UNSET for a required parameter."""
    if not isinstance(field.value, dict):
        return field.text(), UNSET
    fields = field.fields(("type", "default"))
    kind = fields["type"].text() if "type" in fields else "Any"
    return kind, fields["default"].value if "default" in fields else UNSET
