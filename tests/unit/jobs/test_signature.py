"""Signatures: what a submit refuses, what a handler gets, what a client reads back."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest

from rota.errors import BadArguments, BadInput, BadResult, PayloadTooLarge
from rota.rules.jobs.signature import MAX_ARGS_BYTES, MAX_RESULT_BYTES, Signature


class Opaque:
    """A class that JSON knows nothing about."""


def resize(image: str, width: int = 800) -> str:
    return f"{image}@{width}"


def nothing() -> None: ...


def test_optional_parameters_are_described_as_far_as_json_allows() -> None:
    def tune(
        image: str,
        *more: int,
        width: int = 800,
        folder: Path = Path("/out"),
        day: str | None = None,
        how: Opaque = Opaque(),  # noqa: B008  # a value like any other
        api_key: str = "s3cret",
        long: str = "x" * 2000,
        **rest: int,
    ) -> None: ...

    signature = Signature.of(tune)
    assert signature.parameters["more"] == "list[int]", "by its name, a list is given"
    assert ("rest" in signature.parameters, signature.more) == (False, "int")
    assert signature.defaults == {
        "more": None,
        "width": 800,
        "folder": "/out",
        "day": None,
        "how": None,
        "api_key": None,
        "long": None,
    }


def test_arguments_are_an_object_by_name_and_defaults_are_left_out() -> None:
    signature = Signature.of(resize)

    assert signature.bind(("cat.png",), {}) == '{"image":"cat.png"}'
    assert signature.bind(("cat.png", 200), {}) == '{"image":"cat.png","width":200}'
    assert signature.load('{"image":"cat.png"}') == {"image": "cat.png"}


def test_the_same_call_gives_the_same_text_however_it_is_written() -> None:
    signature = Signature.of(resize)

    texts = {
        signature.bind(("a", 1), {}),
        signature.bind(("a",), {"width": 1}),
        signature.bind((), {"image": "a", "width": 1}),
        signature.bind((), {"width": 1, "image": "a"}),
    }

    assert len(texts) == 1


def test_a_handler_without_parameters_takes_nothing() -> None:
    signature = Signature.of(nothing)

    assert signature.bind((), {}) == "{}"
    assert signature.load("{}") == {}
    assert signature.arguments("{}") == ((), {})
    with pytest.raises(BadArguments, match="too many"):
        signature.bind((1,), {})
    with pytest.raises(BadArguments, match="unexpected keyword argument 'x'"):
        signature.bind((), {"x": 1})


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "missing a required argument: 'image'"),
        ((), {"width": 5}, "missing a required argument: 'image'"),
        (("a", 1, 2), {}, "too many positional arguments"),
        (("a",), {"hight": 1}, "unexpected keyword argument 'hight'"),
        (("a",), {"hight": 1, "width": 2}, "unexpected keyword argument 'hight'"),
        (("a",), {"image": "b"}, "multiple values for argument 'image'"),
        (("a", "b"), {}, "width: Expected `int`, got `str`"),
        (("a", 1.5), {}, "width: Expected `int`, got `float`"),
        (("a", True), {}, "width: Expected `int`, got `bool`"),
        (("a", None), {}, "width: Expected `int`, got `null`"),
        ((5,), {}, "image: Expected `str`, got `int`"),
        ((1j,), {}, "image: complex is not JSON"),
        (("\ud800",), {}, "image: text with a lone surrogate"),
        (("a", math.nan), {}, "width: NaN and infinity are not JSON"),
    ],
)
def test_wrong_arguments_are_refused_with_the_signature(
    args: tuple[Any, ...], kwargs: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadArguments) as refused:
        Signature.of(resize).bind(args, kwargs)

    assert "resize(image: str, width: int = 800)" in str(refused.value)
    assert said in str(refused.value)


@pytest.mark.parametrize("value", [Opaque(), {1: Opaque()}, object, {(1, 2): 3}, iter([1])])
def test_a_result_that_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(BadResult, match="resize returned no JSON"):
        Signature.of(resize).dump_result(value)


def test_arguments_over_the_limit_are_refused_with_both_numbers() -> None:
    signature = Signature.of(resize)
    fits = MAX_ARGS_BYTES - len('{"image":""}')

    assert len(signature.bind(("x" * fits,), {})) == MAX_ARGS_BYTES
    says = "^the arguments of resize take 1,000,001 bytes and the limit is 1,000,000"
    with pytest.raises(PayloadTooLarge, match=says):
        signature.bind(("x" * (fits + 1),), {})


def test_a_result_whose_keys_are_one_in_json_is_refused() -> None:
    signature = Signature.of(resize)

    with pytest.raises(BadResult, match="the key '1' is given twice"):
        signature.dump_result({1: 2, "1": 3})
    assert signature.dump_result({1: 2, "2": 3}) == '{"1":2,"2":3}'


def test_a_result_over_the_limit_is_refused_with_both_numbers() -> None:
    signature = Signature.of(resize)

    assert len(signature.dump_result("x" * (MAX_RESULT_BYTES - 2))) == MAX_RESULT_BYTES
    says = "^the result of resize takes 1,000,001 bytes and the limit is 1,000,000"
    with pytest.raises(PayloadTooLarge, match=says):
        signature.dump_result("x" * (MAX_RESULT_BYTES - 1))


def test_the_limit_counts_bytes_not_characters() -> None:
    with pytest.raises(PayloadTooLarge):
        Signature.of(resize).bind(("☃" * 400_000,), {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"image":"a","colour":1}', "unknown field `colour`"),
        ('{"width":1}', "missing required field `image`"),
        ('{"image":1}', "image: Expected `str`, got `int`"),
        ("[]", "Expected `object`, got `array`"),
        ("{", "truncated"),
        ('{"image":' + "[" * 100_000 + "]" * 100_000 + "}", "image: Expected `str`"),
    ],
)
def test_text_that_does_not_fit_is_refused_with_the_signature(text: str, said: str) -> None:
    with pytest.raises(BadArguments) as refused:
        Signature.of(resize).load(text)

    assert "resize(image: str, width: int = 800)" in str(refused.value)
    assert said in str(refused.value)


def spread(a: int, /, b: int = 2, *rest: int, c: int = 4, **more: int) -> tuple[Any, ...]:
    return a, b, rest, c, more


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1,), {}),
        ((1, 5), {}),
        ((1, 5, 6, 7), {"c": 8}),
        ((1,), {"b": 3}),
        ((1,), {"b": 3, "x": 9, "y": 10}),
        ((1,), {"more": 9}),
        ((1, 2, 3), {"z": 0}),
    ],
)
def test_every_kind_of_parameter_is_called_as_it_was_submitted(
    args: tuple[int, ...], kwargs: dict[str, int]
) -> None:
    signature = Signature.of(spread)

    called_args, called_kwargs = signature.arguments(signature.bind(args, kwargs))

    assert spread(*called_args, **called_kwargs) == spread(*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((1,), {"x": "no"}, "x: Expected `int`, got `str`"),
        ((1, 2, "no"), {}, "Expected `int`, got `str`"),
        ((), {"b": 1}, "missing a required"),
        ((1,), {"a": 1}, "a: the name is taken by a parameter"),
        ((1,), {"x": Opaque()}, "x: Opaque is not JSON"),
    ],
)
def test_every_kind_of_parameter_is_checked(
    args: tuple[Any, ...], kwargs: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadArguments) as refused:
        Signature.of(spread).bind(args, kwargs)

    assert said in str(refused.value)


def test_a_positional_only_parameter_cannot_be_given_by_name() -> None:
    def first(a: int, /) -> int:
        return a

    signature = Signature.of(first)

    with pytest.raises(BadArguments, match="positional"):
        signature.bind((), {"a": 1})
    assert signature.arguments(signature.bind((1,), {})) == ((1,), {})


def test_a_keyword_only_parameter_cannot_be_given_by_position() -> None:
    def only(*, a: int) -> int:
        return a

    signature = Signature.of(only)

    with pytest.raises(BadArguments, match="too many positional"):
        signature.bind((1,), {})
    assert signature.arguments(signature.bind((), {"a": 1})) == ((), {"a": 1})


def test_a_parameter_may_have_any_name() -> None:
    def odd(f1: int, f0: int, __struct_fields__: int, encode: int) -> None: ...

    signature = Signature.of(odd)

    assert list(signature.load(signature.bind((1, 2, 3, 4), {})).values()) == [1, 2, 3, 4]


def test_a_result_that_is_not_what_was_promised_is_read_as_plain_json() -> None:
    assert Signature.of(resize).load_result("[1]") == [1]
    assert Signature.of(nothing).load_result('{"a":1}') == {"a": 1}


def test_nothing_is_null() -> None:
    signature = Signature.of(nothing)

    assert signature.dump_result(None) == "null"
    assert signature.load_result("null") is None


def test_a_wrapped_function_shows_the_signature_inside() -> None:
    @functools.wraps(resize)
    def logged(*args: Any, **kwargs: Any) -> Any:
        return resize(*args, **kwargs)

    assert str(Signature.of(logged)) == "resize(image: str, width: int = 800)"
    with pytest.raises(BadArguments, match="width: Expected `int`"):
        Signature.of(logged).bind(("a", "b"), {})


def test_a_partial_needs_only_what_is_left() -> None:
    signature = Signature.of(functools.partial(resize, "cat.png"))

    assert signature.bind((), {"width": 5}) == '{"width":5}'


class Shop:
    def sell(self, item: str) -> None: ...


@pytest.mark.parametrize("method", [Shop.sell, Shop().sell])
def test_a_method_is_no_job(method: Callable[..., None]) -> None:
    with pytest.raises(BadInput, match=r"Shop.sell is a method"):
        Signature.of(method)


def test_parameters_are_described_for_people() -> None:
    def mixed(a, b: Optional[Path] = None, *, c: "list[int]" = ()) -> None: ...  # type: ignore[no-untyped-def,assignment]  # noqa: ANN001, UP037, UP045  # a wild mix on purpose

    assert Signature.of(mixed).parameters == {"a": "Any", "b": "Optional[Path]", "c": "list[int]"}


def test_names_of_a_template_take_text_and_numbers() -> None:
    signature = Signature.of_names("backup", ("table", "days"))

    assert signature.bind(("orders",), {"days": 7}) == '{"table":"orders","days":7}'
    assert signature.load('{"table":"a","days":1.5}') == {"table": "a", "days": 1.5}
    assert (
        str(signature) == "backup(table: str | int | float | bool, days: str | int | float | bool)"
    )
    with pytest.raises(BadArguments, match="missing a required argument: 'days'"):
        signature.bind(("orders",), {})
    with pytest.raises(BadArguments, match="days: Expected"):
        signature.bind(("orders", [1]), {})
