"""Annotations of a handler, resolved late and made readable for msgspec and people."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Union, get_args, get_origin

import msgspec

from rota.errors import BadInput
from rota.rules.jobs.signature.wire import UntaggedUnion
from rota.scripts import without_alias

UNRESOLVABLE = (NameError, TypeError, AttributeError, SyntaxError)


def shape_of(fn: Callable[..., Any]) -> inspect.Signature:
    """Return the parameters of a plain function; methods are refused: nobody supplies `self`."""
    shape = inspect.signature(fn)
    first = next(iter(shape.parameters), None)
    owner = getattr(fn, "__qualname__", "").rpartition(".")[0]
    in_class = bool(owner) and not owner.endswith("<locals>")
    if inspect.ismethod(fn) or (in_class and first in ("self", "cls")):
        raise BadInput(f"{fn.__qualname__} is a method; a job is a plain function")
    return shape


def resolve(fn: Callable[..., Any]) -> dict[str, Any]:
    """Return types by name, with strings evaluated; a name that cannot be resolved is Any."""
    target: Any = fn
    while isinstance(target, functools.partial):
        target = target.func
    target = inspect.unwrap(target)
    if not inspect.isfunction(target):
        target = type(target).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except UNRESOLVABLE:
        names = getattr(target, "__annotations__", {})
        scope = getattr(target, "__globals__", {})
        return {name: _resolve_one(hint, scope) for name, hint in names.items()}


def _resolve_one(hint: object, scope: dict[str, Any]) -> Any:
    holder = types.SimpleNamespace(__annotations__={"it": hint})
    try:
        return typing.get_type_hints(holder, globalns=scope, include_extras=True)["it"]
    except UNRESOLVABLE:
        return Any


def readable(kind: Any) -> Any:
    """Return the type in a form that msgspec can decode; TypeError if there is none."""
    if isinstance(kind, typing.ParamSpecArgs | typing.ParamSpecKwargs):
        return Any
    try:
        msgspec.json.Decoder(kind)
    except TypeError:
        return _rebuilt(kind)
    return kind


def _rebuilt(kind: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        members = tuple(readable(arg) for arg in args if arg is not types.NoneType)
        union = types.new_class(
            "AnyOf", (UntaggedUnion,), exec_body=lambda body: body.update(members=members)
        )
        return union | None if types.NoneType in args else union
    if origin in (None, typing.Annotated):
        raise TypeError(f"{text_of(kind)} cannot be read from JSON")
    parts = tuple(arg if arg is ... else readable(arg) for arg in args)
    if parts == args:
        raise TypeError(f"{text_of(kind)} cannot be read from JSON")
    return origin[parts]


def text_of(annotation: object) -> str:
    """Return an annotation as a person would write it."""
    if annotation is inspect.Parameter.empty:
        return "Any"
    if isinstance(annotation, str):
        return without_alias(annotation.strip("'\""))
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__.rpartition("<locals>.")[2]
    text = str(annotation).replace("typing.", "").replace("collections.abc.", "")
    return without_alias(text)


def text_of_parameter(parameter: inspect.Parameter) -> str:
    """Return the text of a parameter's value by name: for `*sizes: int` a list."""
    text = text_of(parameter.annotation)
    return f"list[{text}]" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else text


def write_out(name: str, shape: inspect.Signature) -> str:
    """Return the signature as Python, such as `resize(image: str, width: int = 800)`."""
    plain = [
        parameter.replace(annotation=_Text(text_of(parameter.annotation)))
        if parameter.annotation is not inspect.Parameter.empty
        else parameter
        for parameter in shape.parameters.values()
    ]
    return f"{name}{inspect.Signature(plain)}"


class _Text:
    """Prints as its text, where inspect would put quotes round a string."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def mentions(kind: Any, types: tuple[type, ...]) -> bool:
    """Whether one of the wanted types appears anywhere in the annotation."""
    if kind in types or get_origin(kind) in types:
        return True
    return any(mentions(arg, types) for arg in get_args(kind) if not isinstance(arg, list))
