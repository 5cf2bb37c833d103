"""An option of a job, a submit or a schedule: declared once, used everywhere.

From rows of these come the readers, the known names, the JSON Schema of job files and the tables in
the docs; bodies of the API can be made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

Schema = dict[str, Any]

NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$"
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 1}
DURATION: Schema = {"type": ["string", "number"], "examples": ["500ms", "90s", "1h30m", "7d"]}
DEADLINE: Schema = {"type": ["string", "number"], "examples": ["2h", "07:00 Europe/Paris"]}
NAMES: Schema = {"type": ["string", "array"], "items": TEXT}
OBJECT: Schema = {"type": "object"}
LABELS: Schema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "examples": [{"team": "billing"}],
}
Time = str | float
"""A duration in JSON: a text, or seconds."""


class Option(msgspec.Struct, frozen=True):
    """One option: its name, its reader, its field and its documentation."""

    name: str
    read: Callable[[str, Any], Any]
    """Takes the name and the given value; BadInput names the option and says what is wrong."""
    schema: Schema | None
    """The schema in a job file; None for options that only code can give."""
    meaning: str = ""
    """The meaning in Markdown; empty in a table if the option above it describes this one, too."""
    where: tuple[str, ...] = ()
    """The places that accept it: `job`, `submit`; `rule` for when a schedule fires."""
    default: str = ""
    """The default in Markdown; empty if there is none."""
    field: str = ""
    """The field of the struct that it sets; its own name if empty."""
    synonym: str = ""
    """An alternative name."""
    body: Any = None
    """The type in a body of the API; None if no body has it."""
    bodies: tuple[str, ...] = ()
    """Which bodies have it; those of `where` if nothing is said."""
    body_name: str = ""
    """Its name in a body; its own name if empty."""

    def __post_init__(self) -> None:
        if not self.field:
            msgspec.structs.force_setattr(self, "field", self.name)

    @property
    def json_name(self) -> str:
        """Return the name in a body of the API."""
        first, *others = self.name.split("_")
        return first + "".join(word.capitalize() for word in others)


def read_options(table: Mapping[str, Option], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options by the fields that they set; None means unset."""
    fields: dict[str, Any] = {}
    for name, given in options.items():
        if given is not None and name in table:
            option = table[name]
            fields[option.field] = option.read(name, given)
    return fields


def body_fields(table: Iterable[Option], where: str | None) -> list[tuple[str, Any, None]]:
    """Return the options of a body of the API: each may be left out, which null says too.

    None means the options that name no place.
    """
    found = options_of_body(table, where)
    return [(each.body_name or each.name, each.body | None, None) for each in found]


def options_of_body(table: Iterable[Option], where: str | None) -> list[Option]:
    """Return the options that a body of the API has; None means those that name no place."""
    return [
        each
        for each in table
        if each.body is not None and where in (each.bodies or each.where or (None,))
    ]


def body_struct(
    base: type[msgspec.Struct], table: Iterable[Option], where: str | None, **named: str
) -> type[msgspec.Struct]:
    """Return a body of the API: the fields of the base, and the options of the table.

    `name`, `doc` and `module` are those of the new class.
    """
    fields = [each for each in body_fields(table, where) if each[0] not in base.__struct_fields__]
    return msgspec.defstruct(
        named["name"],
        fields,
        bases=(base,),
        kw_only=True,
        module=named["module"],
        namespace={"__doc__": named["doc"]},
    )


def given_options(body: msgspec.Struct, names: Iterable[str]) -> dict[str, Any]:
    """Return the options that a client gave in a body; null means not given."""
    given = {name: getattr(body, name, None) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def names_of(table: Iterable[Option], where: str | None = None) -> frozenset[str]:
    """Return the names of options that are accepted in this place."""
    return frozenset(each.name for each in table if where is None or where in each.where)
