"""References: values of a graph that are known when it runs, and expressions of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from rota.errors import BadGraph
from rota.rules.graphs.references import Reference, is_name
from rota.rules.jobs.signature import wire


class Later(Reference):
    """A value that is known only when the graph runs.

    Compare it and compute with it: the result is an expression for `when=` or an argument.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        """The form of the value in an expression."""

    def __repr__(self) -> str:
        return f"<{self.text}>"

    @property
    def alone(self) -> str:
        """The form of the value where nothing stands beside it."""
        return self.text

    def value(self) -> dict[str, Any]:
        """The form of the value in the arguments of a node."""
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
        """Refuse: in a text, the reference would stay its own name and never become its value."""
        raise self._refusal(
            'is known only when the graph runs; join texts with +, as in name + ".csv"'
        )

    def _refusal(self, what: str) -> BadGraph:
        return BadGraph(f"{self.text} {what}")

    def _with(self, sign: str, other: object) -> Later:
        return Computed(f"{self._beside(sign, other)} {sign} {written(other)}")

    def _from(self, sign: str, other: object) -> Later:
        return Computed(f"{written(other)} {sign} {self._beside(sign, other)}")

    def _beside(self, sign: str, other: object) -> str:
        """Return the operand: Python mixes whole numbers with others, expressions do not."""
        is_double = isinstance(other, float) and sign in ("+", "-", "*", "/")
        return f"double({self.alone})" if is_double else self.text

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
    """Two values with an operator between them; in brackets unless it stands alone."""

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
    """A node; stands for its result wherever one is needed."""

    def __init__(self, name: str) -> None:
        super().__init__("$ref", name)

    @property
    def state(self) -> Later:
        """The state in which the node ended, for expressions: `load.state == "skipped"`."""
        return Later(f"nodes.{self.name}.state")

    @property
    def error(self) -> ErrorRef:
        """The error of the node, for a handler: `load.error.message`; null if it did not fail."""
        return ErrorRef(self.name)


class ErrorRef(Later):
    """The error of a node; the error and its parts are null if the node did not fail."""

    def __init__(self, name: str, part: str = "") -> None:
        super().__init__(f"nodes.{name}.error{part}")
        self._name = name
        self._part = part

    @property
    def type(self) -> ErrorRef:
        """The name of the exception, such as `ValueError`."""
        return ErrorRef(self._name, ".type")

    @property
    def message(self) -> ErrorRef:
        return ErrorRef(self._name, ".message")

    def value(self) -> dict[str, Any]:
        return {"$error": f"{self._name}{self._part}"}


class Time(Later):
    """A time of the run: an instant as text, or a day."""

    @property
    def day(self) -> Time:
        """The day of the time, in the zone of the schedule: `2026-03-08`."""
        return Time(f"day({self.text})")

    def format(self, pattern: str) -> Time:
        """Format the time: `this_run.scheduled_for.format("%Y/%m/%d")`."""
        return Time(f"format({self.text}, {written(pattern)})")

    def shift(self, by: str) -> Time:
        """Shift the time: `this_run.scheduled_day.shift("-1d")`."""
        return Time(f"shift({self.text}, {written(by)})")


class RunTime(Time):
    """A time of the run, unchanged, which needs no expression."""

    def __init__(self, field: str) -> None:
        super().__init__(f"run.{field}")
        self._field = field

    def value(self) -> dict[str, Any]:
        return {"$run": self._field}


class ThisRun:
    """The run that a graph or a schedule will start, before it exists.

    Use it for arguments of nodes, conditions, and `args` of a schedule. Inside a handler,
    `current_run()` has the values themselves.
    """

    scheduled_for: Any = RunTime("scheduled_for")
    """The instant the run is for, as text with the offset of the schedule's zone."""
    scheduled_day: Any = RunTime("scheduled_day")
    """The day that the run is for, in that zone: `2026-03-08`."""
    interval_start: Any = RunTime("interval_start")
    """The instant before `scheduled_for`: data since then is the work of this run."""
    interval_start_day: Any = RunTime("interval_start_day")
    interval_end: Any = RunTime("interval_end")
    interval_end_day: Any = RunTime("interval_end_day")
    schedule: Any = RunTime("schedule")
    """The name of the schedule; null for a run that no schedule started."""
    started_by: Any = RunTime("started_by")
    """The kind of start: `time`, `manual`, `event` or `backfill`."""
    backfill: Any = RunTime("backfill")
    """The id of the backfill; null for other runs."""

    def __repr__(self) -> str:
        return "<this_run>"


this_run = ThisRun()


def written(value: object) -> str:
    """Return a value in the form of an expression."""
    if isinstance(value, Later):
        return value.text
    return json.dumps(value_of(value))


def value_of(value: object) -> Any:
    """Return any value as plain JSON with references in it."""
    if isinstance(value, Later):
        return value.value()
    if isinstance(value, dict):
        fields = {str(key): value_of(each) for key, each in value.items()}
        looks_so = len(fields) == 1 and next(iter(fields)).startswith("$")
        return {"$literal": fields} if looks_so else fields
    if isinstance(value, list | tuple):
        return [value_of(each) for each in value]
    try:
        return msgspec.to_builtins(value, enc_hook=wire.enc_hook, str_keys=True)
    except wire.UNENCODABLE as error:
        raise BadGraph(f"{value!r:.64} cannot stand in a graph: {wire.in_words(error)}") from error
