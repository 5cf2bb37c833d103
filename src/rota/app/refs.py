"""References: values of a graph that will be known when it runs, and what can be said of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from rota.errors import BadGraph
from rota.rules.references import is_name
from rota.rules.signature import wire


class Later:
    """Something known only when the graph runs.

    Compare it and compute with it: the answer is an expression for `when=` or an argument.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        """As it is written in an expression."""

    def __repr__(self) -> str:
        return f"<{self.text}>"

    @property
    def alone(self) -> str:
        """The same where nothing stands beside it."""
        return self.text

    def value(self) -> dict[str, Any]:
        """As it is written in the arguments of a node."""
        return {"$expr": self.alone}

    def __bool__(self) -> NoReturn:
        raise self._refusal(
            "is known only when the graph runs; say `when=` of a node, or let a branch decide"
        )

    def __iter__(self) -> Iterator[Any]:
        raise self._refusal("is known only when the graph runs; use .map(...) for its items")

    def __len__(self) -> NoReturn:
        raise self._refusal("is known only when the graph runs; size(...) is for expressions")

    def __format__(self, spec: str) -> str:
        """In a text it would be its own name for ever, not what it stands for."""
        raise self._refusal(
            'is known only when the graph runs; join texts with +, as in name + ".csv"'
        )

    def _refusal(self, what: str) -> BadGraph:
        return BadGraph(f"{self.text} {what}")

    def _with(self, sign: str, other: object) -> Later:
        return Computed(f"{self.text} {sign} {written(other)}")

    def _from(self, sign: str, other: object) -> Later:
        return Computed(f"{written(other)} {sign} {self.text}")

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self._with("==", other)

    def __ne__(self, other: object) -> Any:
        return self._with("!=", other)

    def __lt__(self, other: object) -> Later:
        return self._with("<", other)

    def __le__(self, other: object) -> Later:
        return self._with("<=", other)

    def __gt__(self, other: object) -> Later:
        return self._with(">", other)

    def __ge__(self, other: object) -> Later:
        return self._with(">=", other)

    def __add__(self, other: object) -> Later:
        return self._with("+", other)

    def __radd__(self, other: object) -> Later:
        return self._from("+", other)

    def __sub__(self, other: object) -> Later:
        return self._with("-", other)

    def __rsub__(self, other: object) -> Later:
        return self._from("-", other)

    def __mul__(self, other: object) -> Later:
        return self._with("*", other)

    def __rmul__(self, other: object) -> Later:
        return self._from("*", other)

    def __truediv__(self, other: object) -> Later:
        return self._with("/", other)

    def __mod__(self, other: object) -> Later:
        return self._with("%", other)

    def __and__(self, other: object) -> Later:
        return self._with("&&", other)

    def __or__(self, other: object) -> Later:
        return self._with("||", other)

    def __invert__(self) -> Later:
        return Later(f"!({self.alone})")


class Computed(Later):
    """Two of them with a sign between; in brackets unless it stands alone."""

    def __init__(self, text: str) -> None:
        super().__init__(f"({text})")
        self._alone = text

    @property
    def alone(self) -> str:
        return self._alone


class Ref(Later):
    """The result of a node or a parameter of the graph; `ref["rows"][0]` is a part of it."""

    def __init__(self, form: str, name: str, way: str = "") -> None:
        root = f"nodes.{name}.result" if form == "$ref" else f"params.{name}"
        super().__init__(f"{root}{way}")
        self.form = form
        self.name = name
        self._way = way

    def __getitem__(self, key: str | int) -> Ref:
        if isinstance(key, bool) or not isinstance(key, str | int):
            raise self._refusal(f"has no part {key!r:.40}; give a name or a number")
        step = f".{key}" if is_name(key) else f"[{json.dumps(key)}]"
        return Ref(self.form, self.name, f"{self._way}{step}")

    def value(self) -> dict[str, Any]:
        return {self.form: f"{self.name}{self._way}"}


class NodeRef(Ref):
    """A node; stands for its result wherever that is needed."""

    def __init__(self, name: str) -> None:
        super().__init__("$ref", name)

    @property
    def state(self) -> Later:
        """How the node ended, for expressions: `load.state == "skipped"`."""
        return Later(f"nodes.{self.name}.state")


def written(value: object) -> str:
    """A value as it is written in an expression."""
    if isinstance(value, Later):
        return value.text
    return json.dumps(value_of(value))


def value_of(value: object) -> Any:
    """Anything as plain JSON with references in it."""
    if isinstance(value, Later):
        return value.value()
    if isinstance(value, dict):
        found = {str(key): value_of(each) for key, each in value.items()}
        looks_so = len(found) == 1 and next(iter(found)).startswith("$")
        return {"$literal": found} if looks_so else found
    if isinstance(value, list | tuple):
        return [value_of(each) for each in value]
    try:
        return msgspec.to_builtins(value, enc_hook=wire.enc_hook, str_keys=True)
    except wire.UNENCODABLE as error:
        raise BadGraph(f"{value!r:.64} cannot stand in a graph: {wire.in_words(error)}") from error
