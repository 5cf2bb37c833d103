"""Safe expressions: conditions and computed arguments, in CEL, checked before they are stored.

An expression sees `nodes.NAME.result`, `nodes.NAME.state`, `nodes.NAME.error` with `type` and
`message`, `params.NAME`, `run.NAME`, and in a mapped node `item` and `index`. It may call `day`,
`format` and `shift` for times. Names are checked when an expression is read. Its cost is bounded
before and while it runs: its length, 10,000 steps, the values that its loops copy, and the size of
its answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from rota.errors import BadArguments, BadExpression
from rota.rules.graphs.expressions.text import (
    MAX_COPIES,
    Loops,
    Mentioned,
    loops_in,
    mentioned_in,
    tokens_of,
)
from rota.rules.graphs.expressions.values import longest, plain, size, zero_in
from rota.rules.graphs.references import ERROR_PARTS
from rota.rules.runs.times import ARITY, FUNCTIONS, check_field
from rota.rules.text.checks import hint

MAX_CHARS = 4_096
MAX_IN_LOOP = 25_000
"""The size of a value that a loop may read in each of its steps; the engine allows 10,000 steps."""
MAX_ANSWER = 1_000_000
"""The number of characters and values in an answer."""
MAX_BUILT = 1_000
"""The length of a list that map and filter may process: 9,000 items took 1.3 GB and 1.5 s."""

_FIELDS = ("result", "state", "error")
_WHERE = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n|]+)")
_PREFIX = re.compile(r"^[A-Z_]+: ")
_NO_TIME = re.compile(rf"No matching overloads found : ({'|'.join(FUNCTIONS)})\((.*)\)")


_MIXED = re.compile(r"No matching overloads found : _[-+*/]_\((?:int64, double|double, int64)\)")


class Names(NamedTuple):
    """The names that an expression may mention."""

    nodes: Collection[str] = ()
    params: Collection[str] = ()
    has_item: bool = False


class Values(NamedTuple):
    """The values of the names at one moment; a node without a result has None."""

    results: Mapping[str, Any]
    states: Mapping[str, str]
    params: Mapping[str, Any]
    item: Any = None
    position: int = 0
    """The value of `index`: the position of the item in its list."""
    run: Mapping[str, Any] = MappingProxyType({})
    """The facts of the run, by the names in `rota.rules.runs.times`."""
    errors: Mapping[str, Any] = MappingProxyType({})
    """The errors of nodes, with `type` and `message`; None for a node that did not fail."""


class Expression:
    """A checked expression that can be evaluated any number of times."""

    def __init__(self, text: str, mentioned: Mentioned, loops: Loops | None, *, where: str) -> None:
        self.text = text
        self.mentioned = mentioned
        self.loops = loops
        self.where = where

    @classmethod
    def parse(cls, text: str, names: Names | None, *, where: str = "expression") -> Expression:
        """Parse and check; BadExpression says what is wrong, and `where` names the node and field.

        Pass no names if they were checked before: then unknown ones are not refused.
        """
        if not text.strip():
            raise BadExpression(f"{where}: the expression is empty")
        if len(text) > MAX_CHARS:
            raise BadExpression(f"{where}: the expression has more than {MAX_CHARS:,} characters")
        tokens = tokens_of(text)
        mentioned = mentioned_in(tokens)
        if names is not None:
            _check_names(mentioned, names, where)
        loops = loops_in(tokens)
        if loops is not None and loops.copies > MAX_COPIES:
            raise BadExpression(
                f"{where}: it may copy a value more than {MAX_COPIES} times; make it simpler"
            )
        _program(text, mentioned, where)
        return cls(text, mentioned, loops, where=where)

    def evaluate(self, values: Values) -> Any:
        """Return a plain JSON value; BadExpression if there is none."""
        answer = self._evaluate(values)
        try:
            return plain(answer, [MAX_ANSWER])
        except ValueError as error:
            raise BadExpression(f"{self.where}: {self.text:.80} gave {error}") from None

    def _evaluate(self, values: Values) -> Any:
        program = _program(self.text, self.mentioned, self.where)
        data = _data(self.mentioned, values)
        self._check_texts(data)
        if self.loops is not None:
            self._check_loops(self.loops, data, _data(self.loops.inside, values))
        try:
            answer = program.eval(data=data)
        except RuntimeError as error:
            raise self._refusal(str(error)) from None
        # An error comes back as a value of its own type; its truth says nothing.
        if answer.type().name() in ("ERROR", "UNKNOWN"):
            raise self._refusal(str(answer.value()))
        return answer

    def _check_texts(self, data: Mapping[str, Any]) -> None:
        """Refuse zero characters: the engine ends a text there, so different texts would be equal.

        Values that the expression does not use are not read, such as the message of an error if
        only its type is used.
        """
        texts = {f"nodes.{name}.{field}" for name, field in self.mentioned.fields}
        for name, value in data.items():
            if name.startswith("nodes.") and name not in texts:
                continue
            if (place := zero_in(value)) is not None:
                raise BadExpression(
                    f"{self.where}: {self.text:.80}: {name}{place:.80} holds a zero character "
                    "(\\x00), which expressions cannot read; let a job take it out"
                )

    def _check_loops(
        self, loops: Loops, data: Mapping[str, Any], inside: Mapping[str, Any]
    ) -> None:
        most = MAX_IN_LOOP // (loops.copies * (loops.pluses + 1))
        for name, value in inside.items():
            if size(value) > most:
                raise self._too_large(name, most, "to be read in each step of a loop")
        for name, value in data.items():
            if longest(str, value) > most:
                raise self._too_large(name, most, "to be read in each step of a loop")
            if loops.is_building and longest(list, value) > MAX_BUILT:
                raise self._too_large(name, MAX_BUILT, "for map and filter")

    def _too_large(self, name: str, most: int, what: str) -> BadExpression:
        return BadExpression(
            f"{self.where}: {self.text:.80}: {name} is too large {what} (more than {most:,}); "
            "let a job compute it"
        )

    def _refusal(self, reason: str) -> BadExpression:
        words = _PREFIX.sub("", reason).removesuffix(" [INTERNAL]")
        if "Iteration budget" in words:
            words = "more than 10,000 steps; let a job compute it"
        elif _MIXED.search(words) is not None:
            words = "whole numbers and floats cannot be mixed: write double(x), and 1.0 for 1"
        elif (no_time := _NO_TIME.search(words)) is not None:
            words = _needs_texts(no_time[1], no_time[2])
        return BadExpression(f"{self.where}: {self.text:.80}: {words:.200}")


class Condition(Expression):
    """A checked expression that is true or false; any other value is refused, never guessed."""

    @classmethod
    def parse(cls, text: str, names: Names | None, *, where: str = "condition") -> Condition:
        """Parse and check; an expression that cannot be true or false is refused here."""
        expression = super().parse(text, names, where=where)
        kind = _program(expression.text, expression.mentioned, where).return_type().name()
        if kind not in ("BOOL", "DYN"):
            raise BadExpression(
                f"{where}: {text:.80} is never true or false but {kind.lower()}; "
                "compare it, as in `... > 0`"
            )
        return cls(expression.text, expression.mentioned, expression.loops, where=where)

    def holds(self, values: Values) -> bool:
        """Whether the condition is true for these values."""
        answer = self._evaluate(values)
        if answer.type().name() != "BOOL":
            raise BadExpression(
                f"{self.where}: {self.text:.80} is not true or false; compare it, as in `... > 0`"
            )
        return bool(answer.value())


def _check_names(mentioned: Mentioned, names: Names, where: str) -> None:
    for what, used, defined in (
        ("node", mentioned.nodes, names.nodes),
        ("parameter", mentioned.params, names.params),
    ):
        for name in sorted(used):
            if name not in defined:
                raise BadExpression(
                    f"{where}: there is no {what} {name!r:.64}.{hint(name, defined)}"
                )
    for name, field in sorted(mentioned.fields):
        if field.startswith("error."):
            part = field.removeprefix("error.")
            if part not in ERROR_PARTS:
                raise BadExpression(
                    f"{where}: nodes.{name}.error has no {part!r:.64}.{hint(part, ERROR_PARTS)} "
                    f"It has {' and '.join(ERROR_PARTS)}"
                )
    for name in sorted(mentioned.run):
        try:
            check_field(name)
        except BadArguments as error:
            raise BadExpression(f"{where}: {error}") from None
    if mentioned.item and not names.has_item:
        raise BadExpression(f"{where}: only a mapped node has `item` and `index`")


@lru_cache(maxsize=1_024)
def _compile(text: str, mentioned: Mentioned) -> Any:
    from cel_expr_python import cel  # noqa: PLC0415  # 50 MB, and most programs never need it

    anything = cel.Type.DYN
    variables: dict[str, Any] = {}
    for name in mentioned.nodes:
        variables[f"nodes.{name}.result"] = anything
        variables[f"nodes.{name}.state"] = cel.Type.STRING
    for name in mentioned.errors():
        # The parts are names of their own: those of an error that is null are null.
        variables[f"nodes.{name}.error"] = anything
        variables |= {f"nodes.{name}.error.{part}": anything for part in ERROR_PARTS}
    variables |= {f"params.{name}": anything for name in mentioned.params}
    variables |= {f"run.{name}": anything for name in mentioned.run}
    if mentioned.item:
        variables |= {"item": anything, "index": cel.Type.INT}
    string = cel.Type.STRING
    functions = [
        cel.FunctionDecl(name, [cel.Overload(f"{name}_time", string, [string] * count)])
        for name, count in ARITY.items()
    ]
    impls = {f"{name}_time": function for name, function in FUNCTIONS.items()}
    return cel.NewEnv(variables=variables, functions=functions, function_impls=impls).compile(text)


def _needs_texts(function: str, value: str) -> str:
    """Return the error text for a time function that was called with another type."""
    words = f"{function}() takes texts, not {value.replace('null_type', 'null')}"
    return f"{words}; times of the run are null unless a schedule started it"


def _program(text: str, mentioned: Mentioned, where: str) -> Any:
    try:
        return _compile(text, mentioned)
    except RuntimeError as error:
        raise BadExpression(f"{where}: {text:.80}: {_in_words(str(error))}") from None


def _in_words(text: str) -> str:
    match = _WHERE.search(text)
    if match is None:
        return _PREFIX.sub("", text)[:200]
    words = match[3].replace(" (in container '')", "").strip()[:200]
    if "undeclared reference to 'nodes" in words:
        words += f"; a node has {', '.join(_FIELDS[:-1])} and {_FIELDS[-1]}"
    return f"column {match[2]}: {words}" if int(match[2]) > 0 else words


def _data(mentioned: Mentioned, values: Values) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name in mentioned.nodes:
        data[f"nodes.{name}.result"] = values.results.get(name)
        data[f"nodes.{name}.state"] = values.states.get(name, "pending")
    for name in mentioned.errors():
        error = values.errors.get(name)
        data[f"nodes.{name}.error"] = error
        for part in ERROR_PARTS:
            data[f"nodes.{name}.error.{part}"] = error[part] if error else None
    data |= {f"params.{name}": values.params.get(name) for name in mentioned.params}
    data |= {f"run.{name}": values.run.get(name) for name in mentioned.run}
    if mentioned.item:
        data |= {"item": values.item, "index": values.position}
    return data
