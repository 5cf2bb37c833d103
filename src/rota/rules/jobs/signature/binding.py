"""Signature: what a submit checks, a worker decodes and a client reads back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter
from typing import Any

import msgspec
from msgspec.structs import astuple

from rota.errors import BadArguments, BadInput, BadResult, PayloadTooLarge
from rota.rules.jobs.signature import hints, wire
from rota.rules.jobs.signature.codec import Codec
from rota.rules.jobs.signature.defaults import defaults_of
from rota.rules.jobs.signature.described import schemas_of
from rota.rules.text.json_keys import check_keys

Kinds = Callable[[], Mapping[str, Any]]
Scalar = str | int | float | bool


class Signature:
    """The parameters of one job, compiled at first use.

    Types are looked up late, so a handler may name classes defined below it.
    """

    __slots__ = ("_codec", "_kinds", "_load_result", "_shape", "name", "parameters")

    def __init__(self, name: str, shape: inspect.Signature, kinds: Kinds) -> None:
        self.name = name
        self.parameters = {
            p.name: hints.text_of_parameter(p)
            for p in shape.parameters.values()
            if p.kind is not Parameter.VAR_KEYWORD
        }
        self._shape = shape
        self._kinds = kinds
        self._codec: Codec | None = None
        self._load_result: Callable[[str], Any] | None = None

    @classmethod
    def of(cls, fn: Callable[..., Any]) -> Signature:
        """Read the signature of a function; a method raises BadInput."""
        shape = hints.shape_of(fn)
        name = getattr(fn, "__name__", type(fn).__name__)
        return cls(name, shape, lambda: hints.resolve(fn))

    @classmethod
    def of_names(cls, job_name: str, names: Iterable[str]) -> Signature:
        """Return a signature for commands and requests: each name is required, text or number."""
        parameters = [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=Scalar) for name in names
        ]
        kinds = {parameter.name: Scalar for parameter in parameters}
        return cls(job_name, inspect.Signature(parameters), lambda: kinds)

    def __str__(self) -> str:
        return hints.write_out(self.name, self._shape)

    @property
    def result(self) -> str:
        """Return the annotation of the result, as a person would write it."""
        return hints.text_of(self._shape.return_annotation)

    @property
    def required(self) -> frozenset[str]:
        """Return the required parameters."""
        loose = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        every = self._shape.parameters.values()
        return frozenset(
            p.name for p in every if p.default is Parameter.empty and p.kind not in loose
        )

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the optional parameters with their defaults, where JSON can hold them."""
        return defaults_of(self._shape)

    @property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """Return JSON Schemas of parameters whose annotations alone do not tell their types."""
        return schemas_of(self._shape, self.parameters, self._kinds)

    @property
    def takes_more(self) -> bool:
        """Whether it takes arguments of any name."""
        return self._extra_name() is not None

    @property
    def more(self) -> str | None:
        """Return the annotation of arguments under any other name; None if it takes none."""
        extra = self._extra_name()
        return None if extra is None else hints.text_of(self._shape.parameters[extra].annotation)

    def arrange(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], *, but: str | None = None
    ) -> dict[str, Any]:
        """Return unchecked values by parameter name; none may be missing.

        `but` is a parameter that gets its value later.
        """
        if but is None:
            return self._arrange_slowly(args, kwargs)
        if but not in self.parameters and not self.takes_more:
            raise self._refusal(f"there is no parameter {but!r}")
        values = self._arrange_slowly(args, {**kwargs, but: None})
        del values[but]
        return values

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Check a call and return its arguments as JSON: an object by parameter name.

        Defaults are left to the handler. The same call always gives the same text.
        """
        codec = self._codec or self._compile()
        if not (args or kwargs or codec.required):
            return "{}"
        values = self._arrange(codec, args, kwargs)
        try:
            data = codec.encode(values)
            if codec.is_simple:
                codec.decode(data)
        except (*wire.UNENCODABLE, msgspec.MsgspecError) as error:
            raise self._explained(args, kwargs, error) from error
        if not codec.is_simple or codec.bytes_names or b"null" in data:
            self._check_closely(codec, values, data)
        if len(data) > wire.MAX_ARGS_BYTES:
            raise _too_large(f"the arguments of {self.name} take", len(data), wire.MAX_ARGS_BYTES)
        return data.decode()

    def load(self, text: str) -> dict[str, Any]:
        """Decode arguments by their annotations; omitted arguments stay omitted.

        `handler(**values)` is right for most functions; use `arguments` to call any.
        """
        codec = self._codec or self._compile()
        if text == "{}" and not codec.required:
            return {}
        try:
            decoded = codec.decode(text)
            values = dict(zip(codec.names, astuple(decoded), strict=True))
            for name in codec.optional:
                if values[name] is msgspec.UNSET:
                    del values[name]
            if codec.decode_extra is not None:
                values.update(codec.extras(text))
        except wire.UNDECODABLE as error:
            raise self._refusal(wire.in_words(error)) from error
        return values

    def arguments(self, text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Decode the arguments for a call: `handler(*args, **kwargs)`."""
        values = self.load(text)
        if (self._codec or self._compile()).is_simple:
            return (), values
        bound = inspect.BoundArguments(self._shape, self._nested(values))
        return bound.args, bound.kwargs

    def dump_result(self, value: object) -> str:
        """Encode the result of a handler; BadResult if JSON cannot hold it."""
        if value is None:
            return "null"
        try:
            data = wire.ENCODER.encode(value)
            if b"null" in data:
                wire.refuse_nan(value)
            if type(value) is dict and _has_other_keys(value):
                check_keys(data)  # 1 and "1" become one key
        except (*wire.UNENCODABLE, BadInput) as error:
            raise BadResult(f"{self.name} returned no JSON: {wire.in_words(error)}") from error
        if len(data) > wire.MAX_RESULT_BYTES:
            raise _too_large(f"the result of {self.name} takes", len(data), wire.MAX_RESULT_BYTES)
        return data.decode()

    def load_result(self, text: str) -> Any:
        """Decode a result by the return annotation, as plain data if it does not fit."""
        if self._load_result is None:
            self._load_result = self._result_decoder()
        try:
            return self._load_result(text)
        except wire.UNDECODABLE:
            return msgspec.json.decode(text)

    def _compile(self) -> Codec:
        try:
            self._codec = Codec(self._shape, self._kinds())
        except BadInput as error:
            raise BadArguments(f"{self.name}: {error}") from error
        return self._codec

    def _result_decoder(self) -> Callable[[str], Any]:
        try:
            kind = hints.readable(self._kinds().get("return", Any))
        except (TypeError, NameError):
            kind = Any
        return msgspec.json.Decoder(kind, dec_hook=wire.dec_hook).decode

    def _arrange(
        self, codec: Codec, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return values by name in the order of the signature; the decoder finds missing ones."""
        if not codec.is_simple or len(args) > len(codec.positional):
            return self._arrange_slowly(args, kwargs)
        values = dict(zip(codec.positional, args, strict=False))
        if not kwargs:
            return values
        values.update(kwargs)
        if len(values) != len(args) + len(kwargs):
            return self._arrange_slowly(args, kwargs)
        if len(kwargs) > 1:
            ordered = {name: values[name] for name in codec.names if name in values}
            return ordered if len(ordered) == len(values) else values
        return values

    def _arrange_slowly(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        try:
            values = dict(self._shape.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise self._refusal(self._in_words(error, kwargs)) from error
        extra = self._extra_name()
        spread = values.pop(extra, {}) if extra else {}
        clash = spread.keys() & self.parameters.keys()
        if clash:
            raise self._refusal(f"{min(clash)}: the name is taken by a parameter")
        return values | spread

    def _in_words(self, error: TypeError, kwargs: Mapping[str, Any]) -> str:
        """Return Python's error text with the wrong name in front, to tell what is missing."""
        said = str(error)
        strange = [] if self.takes_more else [n for n in kwargs if n not in self.parameters]
        if not strange or repr(strange[0]) in said:
            return said
        return f"got an unexpected keyword argument {strange[0]!r}; {said}"

    def _extra_name(self) -> str | None:
        every = self._shape.parameters.values()
        return next((p.name for p in every if p.kind is Parameter.VAR_KEYWORD), None)

    def _nested(self, values: dict[str, Any]) -> dict[str, Any]:
        """Nest arguments as inspect does: those of `**kwargs` in a dict of their own."""
        extra = self._extra_name()
        named = {name: value for name, value in values.items() if name in self.parameters}
        spread = {name: value for name, value in values.items() if name not in self.parameters}
        return named | {extra: spread} if extra else named

    def _check_closely(self, codec: Codec, values: dict[str, Any], data: bytes) -> None:
        for name in codec.bytes_names:
            # Text would pass as base64 and reach the handler as other bytes.
            if isinstance(values.get(name), str):
                raise self._refusal(f"{name}: Expected `bytes`, got `str`")
        if not codec.is_simple:
            self.load(data.decode())
        if b"null" in data:
            self._refuse_bad_values(values)

    def _refuse_bad_values(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            try:
                wire.ENCODER.encode(value)
                wire.refuse_nan(value)
            except wire.UNENCODABLE as error:
                raise self._refusal(f"{name}: {wire.in_words(error)}") from error

    def _explained(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], error: BaseException
    ) -> BadArguments:
        """Return the error: Python's own text for a bad call, else the value that is not JSON."""
        self._refuse_bad_values(self._arrange_slowly(args, kwargs))
        return self._refusal(wire.in_words(error))

    def _refusal(self, what: str) -> BadArguments:
        return BadArguments(f"{self} does not fit the arguments given: {what}")


def _too_large(what: str, size: int, limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"{what} {size:,} bytes and the limit is {limit:,}; pass a reference instead"
    )


def _has_other_keys(value: dict[Any, Any]) -> bool:
    """Whether a key is not text; for few keys a loop is faster than a set of their types."""
    for key in value:  # noqa: SIM110
        if type(key) is not str:
            return True
    return False
