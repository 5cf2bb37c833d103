"""Templates: a job with blanks, to be made into many jobs that differ in some words."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Kind = Literal["string", "integer", "number", "boolean"]


class Blank(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a parameter of a template takes."""

    type: Kind = "string"
    default: str | int | float | bool | msgspec.UnsetType = msgspec.UNSET
    """Without one it must be given."""
    choices: tuple[str | int | float | bool, ...] = ()
    """All that it may be; anything of its type if there are none."""
    description: str = ""


class Template(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A definition in which `${name}` stands for a parameter."""

    definition: dict[str, Any]
    parameters: dict[str, Blank] = {}
    description: str = ""
