"""A page's Python blocks as one program, its promises checked as it goes.

`expression  # -> value` must be equal to the value; a statement followed by the line
`# raises Error: message` must raise it. A worker carries out what the page submits.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from contextlib import suppress
from types import ModuleType
from typing import Any

from rota import App
from rota.runtime.worker import Worker
from tests.docs.pages import Block

_NEEDS_WORKER = re.compile(r"\.(result|wait)(_async)?\(|\brota\b.*--wait")
_RAISES = re.compile(r"# raises (\w+)(?:: (.*))?")


class Wrong(AssertionError):
    """The page says something that is not so."""


class Program:
    """The namespace that the blocks of one page share."""

    def __init__(self, name: str, *, brings_worker: bool) -> None:
        self._module = ModuleType(name)
        self._brings_worker = brings_worker
        self._worker: Worker | None = None
        self._served: list[int] = []
        sys.modules[name] = self._module

    def run(self, block: Block) -> None:
        """Run the statements one by one; Wrong says what does not hold, and where."""
        comments = _comments(block.text)
        tree = ast.parse(block.text)
        for statement, after in zip(tree.body, [*tree.body[1:], None], strict=True):
            until = after.lineno if after else len(block.text.splitlines()) + 1
            end = statement.end_lineno or statement.lineno
            said = comments.get(end, "")
            below = _joined(comments, end + 1, until)
            place = f"{block.page}:{block.line + statement.lineno - 1}"
            if _NEEDS_WORKER.search(ast.unparse(statement)):
                self._serve()
            if found := _RAISES.match(below):
                self._raise(statement, place, error=found[1], message=found[2] or "")
            elif said.startswith("# -> "):
                self._compare(statement, place, expected=said.removeprefix("# -> "))
            else:
                self._do(statement, place)

    def close(self) -> None:
        """Stop what was started, forget the module."""
        for value in [*vars(self._module).values(), self._worker]:
            if isinstance(value, Worker) and value.id:
                with suppress(ValueError):
                    value.stop()
        for app in self._apps():
            app.close()
        del sys.modules[self._module.__name__]

    def _apps(self) -> list[App]:
        found = (value for value in vars(self._module).values() if isinstance(value, App))
        return list({id(app): app for app in found}.values())

    def _serve(self) -> None:
        """Have a worker for the jobs as they are now; a page with a worker of its own has it."""
        app = next(iter(self._apps()), None)
        if self._brings_worker or app is None:
            return
        jobs = [id(job) for job in app.jobs.values()]
        if jobs != self._served:
            if self._worker is not None:
                self._worker.stop()
            self._worker = app.worker(slots=4, heartbeat_ms=200)
            self._worker.start()
            self._served = jobs

    def _do(self, statement: ast.stmt, place: str) -> None:
        code = compile(ast.Module([statement], []), place, "exec")
        exec(code, vars(self._module))

    def _value(self, statement: ast.stmt, place: str) -> Any:
        match statement:
            case ast.Expr(value=expression):
                return eval(compile(ast.Expression(expression), place, "eval"), vars(self._module))
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._do(statement, place)
                return vars(self._module)[name]
        raise Wrong(f"{place}: `# ->` follows an expression or `name = ...`")

    def _compare(self, statement: ast.stmt, place: str, *, expected: str) -> None:
        value = self._value(statement, place)
        wanted = eval(expected, vars(self._module))
        if value != wanted or (isinstance(wanted, bool) and value is not wanted):
            raise Wrong(f"{place}: the page says {expected}, it is {value!r}")

    def _raise(self, statement: ast.stmt, place: str, *, error: str, message: str) -> None:
        try:
            self._do(statement, place)
        except Exception as raised:
            said = " ".join(str(raised).split())
            if type(raised).__name__ != error or not _fits(message, said):
                told = f"{type(raised).__name__}: {said}"
                raise Wrong(f"{place}: the page says {error}: {message}\nit is {told}") from raised
            return
        raise Wrong(f"{place}: the page says that {error} is raised, nothing is")


def _fits(pattern: str, said: str) -> bool:
    """Equal, where `...` in the page stands for anything."""
    parts = map(re.escape, " ".join(pattern.split()).split("..."))
    return not pattern or re.fullmatch(".*".join(parts), said) is not None


def _comments(text: str) -> dict[int, str]:
    """Line number to the comment on it."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def _joined(comments: dict[int, str], start: int, until: int) -> str:
    """The comment lines right below a statement as one."""
    lines: list[str] = []
    for number in range(start, until):
        if number not in comments:
            break
        lines.append(comments[number].lstrip("# ") if lines else comments[number])
    return " ".join(lines)
