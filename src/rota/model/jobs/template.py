"""Templates: a job with blanks, from which many jobs that differ in some words are created."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

Kind = Literal["string", "integer", "number", "boolean"]


class Blank(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The values that a parameter of a template takes."""

    type: Kind = "string"
    default: str | int | float | bool | msgspec.UnsetType = msgspec.UNSET
    """The value if none is given; without a default, one must be given."""
    choices: tuple[str | int | float | bool, ...] = ()
    """All permitted values; without any, each value of its type."""
    description: str = ""


class Template(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A definition in which `${name}` stands for a parameter."""

    definition: dict[str, Any]
    parameters: dict[str, Blank] = {}
    description: str = ""


class TemplateView(View, frozen=True):
    """A template as people see it."""

    name: str
    description: str
    definition: dict[str, Any]
    """With the values of variables and headers for those who may write them."""
    parameters: dict[str, Any]
    """In JSON Schema."""
    revision: int
    changed_by: str
    changed_at: Moment
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
