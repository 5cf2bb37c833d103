"""Statements: read from .sql files, expanded for a dialect, known by name.

The shared text speaks both dialects. Tokens it may use: {now}, {clock}; {from:verb}, {to:verb};
{allowed:group}, {becomes:group} for rows `v` that carry their verb; {rows:shape} for a JSON
list as rows; {each:param} for a JSON list of texts, {ids:param} for `in` a list of ids;
{columns:name} for parts that several say; {type:name}, {states:group}, {sql:name};
{lock:alias} to wait for rows; {rank:ready, priority} for the place of a run in its queue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from rota.model.states import FINAL, LIVE, TRANSITIONS, State
from rota.rules.admission.order import CREDIT_MS
from rota.store.row_shapes import SHAPES, Shape
from rota.store.shared_columns import COLUMNS

_HEADER = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_TOKEN = re.compile(r"\{(\w+)(?::([\w., ()]+))?\}")
_PARAM = re.compile(r"(?<![:\w]):([a-z_]+)")
_FOLDER = Path(__file__).parent / "sql"
_DIALECTS = {path.parent.name for path in _FOLDER.parent.glob("*/dialect.py")}
_APART = {*_DIALECTS, "access", "receipts"}
"""Folders of statements that not every store has; all stores share the others."""


class Statement(NamedTuple):
    """One statement as a driver needs it, and the names of its parameters."""

    text: str
    params: frozenset[str]


class Dialect(NamedTuple):
    """The spelling of a database for tokens in the shared text."""

    name: str
    now: str
    """The time of the statement, which an index can be searched for."""
    clock: str
    """The time of the moment in which a row is written."""
    types: Mapping[str, str]
    sql: Mapping[str, str]
    rows: Callable[[Shape], str]
    each: Callable[[str], str]
    ids: Callable[[str], str]
    param: Callable[[str], str]
    schema: str
    """The prefix that replaces `rota.` in front of a table."""
    transaction_limit_s: float
    """How long a handler's transaction may take."""
    is_limit_fixed: bool
    """Whether no handler may ask for a longer one."""
    lead_s: float
    """How early a look for due schedules begins: round trips, and a thread that wakes up late."""
    lead_limit_s: float
    """How early it begins at most, on a slow machine or network."""


def load(dialect: Dialect) -> dict[str, Statement]:
    """Read the shared statements, then let the dialect's own replace some."""
    rooms = (path for path in _FOLDER.glob("*/*.sql") if path.parent.name not in _APART)
    shared = (*_FOLDER.glob("*.sql"), *rooms)
    own = (_FOLDER / dialect.name).glob("*.sql")
    return _read([*sorted(shared), *sorted(own)], dialect)


def load_rooms(dialect: Dialect) -> dict[str, Statement]:
    """Return the statements that differ inside a room (store.access.row_security)."""
    return _read([_FOLDER / "access" / "row_security.sql"], dialect)


def load_logins(dialect: Dialect, kind: str) -> dict[str, Statement]:
    """Return the statements that differ for restricted logins (store.access.rights)."""
    return _read([_FOLDER / "access" / f"{kind}.sql"], dialect)


def load_receipts(dialect: Dialect) -> dict[str, Statement]:
    """Return the few statements for a database of the user's own."""
    folder = _FOLDER / "receipts"
    return _read([folder / "receipts.sql", folder / f"{dialect.name}.sql"], dialect)


def _read(paths: Iterable[Path], dialect: Dialect) -> dict[str, Statement]:
    statements: dict[str, Statement] = {}
    for path in paths:
        _, *parts = _HEADER.split(path.read_text())
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            statements[name] = _statement(expand(text, dialect), dialect)
    return statements


def expand(text: str, dialect: Dialect) -> str:
    """Replace the tokens and drop the comments."""
    bare = re.sub(r"^\s*--.*\n", "", text, flags=re.MULTILINE).strip()
    filled = _fill(bare, dialect)
    return filled.replace("rota.", dialect.schema)


def _fill(text: str, dialect: Dialect) -> str:
    return _TOKEN.sub(lambda match: _token(match[1], match[2] or "", dialect), text)


def _statement(text: str, dialect: Dialect) -> Statement:
    params = frozenset(_PARAM.findall(text))
    return Statement(_PARAM.sub(lambda match: dialect.param(match[1]), text), params)


def _token(kind: str, name: str, dialect: Dialect) -> str:
    readers: Mapping[str, Callable[[], str]] = {
        "now": lambda: dialect.now,
        "clock": lambda: dialect.clock,
        "from": lambda: _guard(name),
        "to": lambda: f"'{TRANSITIONS[name].to}'",
        "allowed": lambda: _allowed(name),
        "becomes": lambda: _becomes(name),
        "columns": lambda: _fill(COLUMNS[name], dialect),
        "rows": lambda: dialect.rows(SHAPES[name]),
        "each": lambda: dialect.each(name),
        "ids": lambda: dialect.ids(name),
        "type": lambda: dialect.types[name],
        "states": lambda: ", ".join(_quoted(FINAL if name == "final" else LIVE)),
        "sql": lambda: dialect.sql[name],
        "rank": lambda: _rank(name, dialect),
        "lock": lambda: dialect.sql["lock"].replace("of run", f"of {name}"),
    }
    if kind not in readers:
        raise ValueError(f"unknown token {kind!r} in a statement")
    return readers[kind]()


def _rank(name: str, dialect: Dialect) -> str:
    """Spell `rules.admission.order.rank_ms`; a ready time `now` is that of the statement."""
    ready, priority = name.split(", ", 1)
    ready_ms = dialect.now if ready == "now" else ready
    return f"{ready_ms} - {priority} * cast({CREDIT_MS} as bigint)"


def _quoted(states: Iterable[State]) -> list[str]:
    return [f"'{state}'" for state in sorted(states)]


def _verbs_to(group: str) -> list[str]:
    """The verbs of a group: `final` ends a run, `queued` gives it back.

    Success comes first: most verdicts are one, and SQLite reads the verb from JSON for each test.
    """
    states = FINAL if group == "final" else {State(group)}
    verbs = [verb for verb, change in TRANSITIONS.items() if change.to in states]
    return sorted(verbs, key=lambda verb: verb != "succeed")


def _allowed(group: str) -> str:
    """A guard for rows `v` that carry their verb: each may act only from its own states."""
    tests = [f"(v.verb = '{verb}' and run.{_guard(verb)})" for verb in _verbs_to(group)]
    return "({})".format(" or ".join(tests))


def _becomes(group: str) -> str:
    cases = [f"when '{verb}' then '{TRANSITIONS[verb].to}'" for verb in _verbs_to(group)]
    return "case v.verb {} end".format(" ".join(cases))


def _guard(verb: str) -> str:
    """`state = 'x'` for one source state: SQLite uses a partial index for = but not for in."""
    states = _quoted(TRANSITIONS[verb].allowed)
    return f"state = {states[0]}" if len(states) == 1 else f"state in ({', '.join(states)})"
