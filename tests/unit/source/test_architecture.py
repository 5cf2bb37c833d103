"""The shape of the source: who may import whom, where SQL and time live, how long things are.

Each check is also tried on a small bad module, so that it can be seen to fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.source import Module, module_at, modules

LAYERS = (
    {"clock", "errors", "ids", "notices", "scripts", "shield", "ttl_cache", "url_text", "version"},
    {"model"},
    {"rules"},
    {"settings"},
    {"store"},
    {"engine"},
    {"operations"},
    {"runtime", "receipts"},
    {"handles"},
    {"app", "client"},
    {"remote"},
    {"api", "cli", "testing", "__main__", "__init__"},
    {"contrib"},
)
RANK = {area: rank for rank, areas in enumerate(LAYERS) for area in areas}

PURE = {"model", "rules", "engine"}
IMPURE = re.compile(
    r"""(time\.(time|monotonic|perf_counter|clock_gettime|process_time)(_ns)?
      | time\.sleep | asyncio\.sleep
      | datetime\.(datetime\.)?(now|utcnow|today) | datetime\.date\.today
      | random\.(?!Random$).+ | secrets\..+ | os\.urandom
      | (uuid|uuid_utils)\.uuid\d)$""",
    re.VERBOSE,
)

SQL = re.compile(
    r"""^\s*(with\s+\w+\s+as\s*(materialized\s*)?\(
      | select\s.+\sfrom\s | insert\s+(or\s+\w+\s+)?into\s | update\s+\w+\s+set\s
      | delete\s+from\s | (create|drop|alter)\s+(table|index|schema|database)\s | pragma\s)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

DANGEROUS_MODULES = {"pickle", "cloudpickle", "dill", "marshal", "shelve"}
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
REVIEWED: set[tuple[str, str]] = set()
"""(module, name) pairs that may do a dangerous thing, each with its reason in a comment."""

BANNED_WORDS = {"task", "execution", "manager", "helper", "util"}
MAX_MODULE = 500
MAX_FUNCTION = 60

Check = Callable[[Module], Iterator[str]]


def upward_imports(module: Module) -> Iterator[str]:
    for target, line in module.imports():
        if target != "rota" and not target.startswith("rota."):
            continue
        area = target.split(".")[1] if "." in target else "__init__"
        # `from rota import App` reaches the public surface, whatever the name is.
        rank = RANK.get(area, RANK["__init__"])
        if rank > RANK.get(module.area, -1):
            yield f"{module.name}:{line} imports {target}, which lies above it"


def modules_without_layer(module: Module) -> Iterator[str]:
    if module.area not in RANK:
        yield f"{module.name} has no layer; give it one in LAYERS"


def sql_outside_the_store(module: Module) -> Iterator[str]:
    if module.area != "store":
        for text, line in module.strings():
            # "Select a queue from the list" is a sentence; nobody writes SQL with one capital.
            if SQL.match(text) and not text.lstrip()[:2].istitle():
                yield f"{module.name}:{line} holds SQL: {text.strip()[:40]!r}"


def hidden_time_or_chance(module: Module) -> Iterator[str]:
    if module.area in PURE:
        for name, line in module.references():
            if IMPURE.match(name):
                yield f"{module.name}:{line} uses {name}; take it as an argument"


def dangerous_things(module: Module) -> Iterator[str]:
    for target, line in module.imports():
        if target.split(".")[0] in DANGEROUS_MODULES and (module.name, target) not in REVIEWED:
            yield f"{module.name}:{line} imports {target}"
    for name, line in module.references():
        if name in DANGEROUS_CALLS and (module.name, name) not in REVIEWED:
            yield f"{module.name}:{line} uses {name}"
    for node in ast.walk(module.tree):
        match node:
            case ast.keyword(arg="shell", value=ast.Constant(value=False)):
                pass
            case ast.keyword(arg="shell"):
                yield f"{module.name}:{node.value.lineno} starts a shell"


def long_things(module: Module) -> Iterator[str]:
    if module.lines > MAX_MODULE:
        yield f"{module.name} has {module.lines} lines"
    for function in module.functions():
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > MAX_FUNCTION:
            yield f"{module.name}:{function.lineno} {function.name} has {length} lines"


def banned_words(module: Module) -> Iterator[str]:
    for name, line in module.defined_names():
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
        if BANNED_WORDS & {word.lower().removesuffix("s") for word in words}:
            yield f"{module.name}:{line} calls something {name!r}"


CHECKS: tuple[Check, ...] = (
    upward_imports,
    modules_without_layer,
    sql_outside_the_store,
    hidden_time_or_chance,
    dangerous_things,
    long_things,
    banned_words,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_source_has_no(check: Check) -> None:
    complaints = [complaint for module in modules() for complaint in check(module)]

    assert not complaints, "\n".join(complaints)


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports inside functions count: hiding a cycle does not remove it."""
    names = {module.name for module in modules()}
    graph = {
        module.name: {found for found in _imported(module, names) if found != module.name}
        for module in modules()
    }

    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")

    assert set(order) == names


def _imported(module: Module, names: set[str]) -> Iterator[str]:
    for target, _ in module.imports(for_types=False):
        for candidate in (target, target.rpartition(".")[0]):
            if candidate in names:
                yield candidate
                break


@pytest.mark.parametrize(
    ("check", "place", "text"),
    [
        (upward_imports, "rules/bad.py", "from rota.store import sqlite"),
        (upward_imports, "store/bad.py", "def f():\n    import rota.app"),
        (upward_imports, "model/bad.py", "from ..engine import claim"),
        (upward_imports, "engine/bad.py", "from rota import App"),
        (modules_without_layer, "misc.py", ""),
        (sql_outside_the_store, "engine/bad.py", "Q = 'select id from run where 1'"),
        (sql_outside_the_store, "cli/bad.py", "Q = f'''\n  UPDATE run SET state = {1}'''"),
        (sql_outside_the_store, "app.py", "Q = 'delete from run'"),
        (hidden_time_or_chance, "rules/bad.py", "import time as t\nt.time()"),
        (hidden_time_or_chance, "model/bad.py", "from datetime import datetime\ndatetime.now()"),
        (hidden_time_or_chance, "engine/bad.py", "from random import random as r\nx = r()"),
        (hidden_time_or_chance, "engine/bad.py", "from uuid import uuid4\nf(default=uuid4)"),
        (hidden_time_or_chance, "engine/bad.py", "from time import sleep\nsleep(1)"),
        (dangerous_things, "runtime/bad.py", "from pickle import loads"),
        (dangerous_things, "cli/bad.py", "eval('1')"),
        (dangerous_things, "runtime/bad.py", "run('ls', shell=True)"),
        (long_things, "app.py", "x = 1\n" * 501),
        (long_things, "app.py", "def f():\n" + "    x = 1\n" * 60),
        (banned_words, "app.py", "def run_tasks(): ..."),
        (banned_words, "app.py", "class LeaseManager: ..."),
        (banned_words, "app.py", "self.execution_id = 1"),
        (banned_words, "store/utils.py", ""),
    ],
)
def test_a_bad_module_is_noticed(check: Check, place: str, text: str, tmp_path: Path) -> None:
    module = given_module(tmp_path, place, text)

    assert len(list(check(module))) == 1


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            "engine/good.py",
            "from rota.store import statements\nfrom rota.model.runs.run import Run",
        ),
        ("store/good.py", "Q = 'select id from run'"),
        ("rules/good.py", "from random import Random\ndef f(chance: Random): ..."),
        ("runtime/good.py", "import time\ntime.sleep(1)"),
        ("runtime/good.py", "import asyncio\nx: set[asyncio.Task[None]] = set()"),
        ("cli/good.py", "T = 'Select a queue from the list'\nU = 'update the run'"),
    ],
)
def test_a_good_module_is_left_alone(place: str, text: str, tmp_path: Path) -> None:
    module = given_module(tmp_path, place, text)

    assert [complaint for check in CHECKS for complaint in check(module)] == []


def given_module(folder: Path, place: str, text: str) -> Module:
    path = folder / "rota" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return module_at(path, package=folder / "rota")
