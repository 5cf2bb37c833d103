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
NAMES: Schema = {"type": ["string", "array"], "items": TEXT}
OBJECT: Schema = {"type": "object"}
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
    """The places that accept it, of `job` and `submit`."""
    default: str = ""
    """The default in Markdown; empty if there is none."""
    field: str = ""
    """The field of the struct that it sets; its own name if empty."""
    synonym: str = ""
    """An alternative name."""
    body: Any = None
    """The type in a body of the API; None if no body has it."""
    bodies: tuple[str, ...] = ()
    """The bodies that have the option; by default those of `where`."""

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
    for name, value in options.items():
        if value is not None and name in table:
            option = table[name]
            fields[option.field] = option.read(name, value)
    return fields


def body_fields(table: Iterable[Option], where: str) -> list[tuple[str, Any, None]]:
    """The options of a body of the API: each may be left out, which null says too."""
    return [
        (each.name, each.body | None, None)
        for each in table
        if each.body is not None and where in (each.bodies or each.where)
    ]


def names_of(table: Iterable[Option], where: str | None = None) -> frozenset[str]:
    """Return the names of options that are accepted in this place."""
    return frozenset(each.name for each in table if where is None or where in each.where)
