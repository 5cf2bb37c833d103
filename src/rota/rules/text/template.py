"""Templates of commands and requests: `{name}` stands for an argument, `{{` for a brace.

`{run.scheduled_day}` and similar names stand for facts of the run (`rota.rules.runs.times`).
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping

import msgspec

from rota.errors import BadArguments, BadOption
from rota.rules.runs.times import check_field, run_value, run_values

Value = str | int | float | bool

_TOKEN = re.compile(r"\{\{|\}\}|\{((?:run\.)?[A-Za-z_][A-Za-z0-9_]*)\}|[{}]")
_OF_RUN = "run."


def placeholders(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the arguments in the texts, each once, in order of first use.

    A brace that stands alone raises BadOption: a silent guess would hide a typing error.
    """
    names: dict[str, None] = {}
    for text in texts:
        for token in _TOKEN.finditer(text):
            name = token[1]
            if name is not None and name.startswith(_OF_RUN):
                _check_run(name, text)
            elif name is not None:
                _check(name, text)
                names[name] = None
            elif token[0] in ("{", "}"):
                raise BadOption(
                    f"{text!r:.120} has a lone {token[0]!r} at character {token.start() + 1}; "
                    f"write {{name}} for an argument and {token[0] * 2} for a brace"
                )
    return tuple(names)


def _check(name: str, text: str) -> None:
    if keyword.iskeyword(name):
        raise BadOption(f"{{{name}}} in {text!r:.120} is a word of Python; use another name")


def _check_run(name: str, text: str) -> None:
    try:
        check_field(name.removeprefix(_OF_RUN))
    except BadArguments as error:
        raise BadOption(f"{{{name}}} in {text!r:.120}: {error}") from None


def values_for(args: Mapping[str, Value], origin: str | None) -> Mapping[str, Value]:
    """Return the values for a run's templates: its arguments, and the facts from its schedule."""
    if origin is None:
        return args
    facts = {f"{_OF_RUN}{name}": value for name, value in run_values(origin).items() if value}
    return {**args, **facts}


def fill(text: str, values: Mapping[str, Value]) -> str:
    """Fill in the values, each as one piece of text that is not expanded again.

    Numbers and booleans are written as in JSON. A missing name raises BadArguments.
    """
    return _TOKEN.sub(lambda token: _piece(token, values), text)


def _piece(token: re.Match[str], values: Mapping[str, Value]) -> str:
    name = token[1]
    if name is None:
        return token[0][0]
    if name not in values and name.startswith(_OF_RUN):
        run_value({}, name.removeprefix(_OF_RUN))
        return ""
    if name not in values:
        raise BadArguments(f"no value is given for {{{name}}}")
    value = values[name]
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
