"""The compiled signature: one msgspec struct with a field per parameter."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from inspect import Parameter
from typing import Any

import msgspec

from rota.errors import BadInput
from rota.rules.jobs.signature import wire
from rota.rules.jobs.signature.hints import mentions, readable


class Codec:
    """Everything that the hot path needs, computed once per handler."""

    __slots__ = (
        "bytes_names",
        "decode",
        "decode_extra",
        "encode",
        "is_simple",
        "names",
        "optional",
        "positional",
        "required",
    )

    def __init__(self, shape: inspect.Signature, kinds: Mapping[str, Any]) -> None:
        parameters = [p for p in shape.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        extra = [p for p in shape.parameters.values() if p.kind is Parameter.VAR_KEYWORD]
        types = {p.name: _type_of(p, kinds) for p in shape.parameters.values()}
        self.names = tuple(p.name for p in parameters)
        self.positional = tuple(
            p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD
        )
        self.optional = tuple(p.name for p in parameters if _is_optional(p))
        self.required = frozenset(self.names) - frozenset(self.optional)
        self.is_simple = not extra and all(
            p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY) for p in parameters
        )
        self.bytes_names = tuple(n for n in self.names if mentions(types[n], (bytes, bytearray)))
        # Sets have no order of their own: the same call must give the same text, or a repeated
        # idempotency key would look like another payload.
        has_sets = any(mentions(kind, (set, frozenset)) for kind in types.values())
        self.encode = (wire.SORTED_ENCODER if has_sets else wire.ENCODER).encode
        self.decode = _struct_decoder(parameters, types, strict=not extra)
        self.decode_extra = _decoder(types[extra[0].name]) if extra else None

    def extras(self, text: str) -> dict[str, Any]:
        """Decode the arguments under names of no parameter; empty if the function takes none."""
        found: dict[str, Any] = {}
        decode = self.decode_extra
        if decode is None:
            return found
        for name, value in msgspec.json.decode(text, type=dict[str, msgspec.Raw]).items():
            if name not in self.names:
                try:
                    found[name] = decode(value)
                except wire.UNDECODABLE as error:
                    raise msgspec.ValidationError(f"{name}: {wire.in_words(error)}") from error
        return found


def _is_optional(parameter: Parameter) -> bool:
    return parameter.default is not Parameter.empty or parameter.kind is Parameter.VAR_POSITIONAL


def _type_of(parameter: Parameter, kinds: Mapping[str, Any]) -> Any:
    kind = kinds.get(parameter.name, Any)
    try:
        kind = readable(kind)
    except (TypeError, NameError) as error:
        raise BadInput(f"parameter {parameter.name}: {error}") from error
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return tuple.__class_getitem__((kind, ...))
    if parameter.default is None and kind is not Any:
        return kind | None
    return kind


def _decoder(kind: Any) -> Any:
    return msgspec.json.Decoder(kind, dec_hook=wire.dec_hook).decode


def _struct_decoder(parameters: list[Parameter], types: Mapping[str, Any], *, strict: bool) -> Any:
    """Return a decoder with fields f0, f1..., so that no parameter clashes with the struct."""
    fields: list[Any] = []
    for at, parameter in enumerate(parameters):
        kind = types[parameter.name]
        fields.append(
            (f"f{at}", kind, msgspec.UNSET) if _is_optional(parameter) else (f"f{at}", kind)
        )
    struct = msgspec.defstruct(
        "Arguments",
        fields,
        rename={f"f{at}": parameter.name for at, parameter in enumerate(parameters)},
        kw_only=True,
        forbid_unknown_fields=strict,
    )
    return _decoder(struct)
