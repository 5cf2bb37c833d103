"""Statements straight through libpq, which takes half the time of a cursor (ADR 23).

Parameters travel as text without a type, so that the server infers each from its place in the
statement; rows come back through psycopg's own loaders.
"""

from __future__ import annotations

import hashlib
import re
import select
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import psycopg
from psycopg import pq
from psycopg.adapt import Transformer

from rota.store.base import Row
from rota.store.descriptors import StillPoll

PREPARED_AFTER = 5
"""Uses before a statement is prepared: preparing is another trip to the server."""
MOST_PREPARED = 300
"""Most prepared statements on one connection; each keeps its plan in the server."""
GOOD = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)
BAD = pq.ConnStatus.BAD
SHARED_SESSION = (
    psycopg.errors.DuplicatePreparedStatement,
    psycopg.errors.InvalidSqlStatementName,
)
MakeRow = Callable[[Sequence[Any]], Any]
_MARK = re.compile(rb"%\((\w+)\)s|%%")


class StatementMismatch(psycopg.Error):
    """The session has a statement that we did not prepare there, or lacks one that we did.

    So others use it as well. The statement did not run, and a transaction around it has failed.
    """


class StatementResult(NamedTuple):
    """The result of a statement: its rows, and how many it changed or found."""

    rows: list[Any]
    touched: int


class LibpqConnection:
    """Sends statements on one connection; for one thread at a time.

    It prepares statements only when told to; `mixed_up` is called when the session turns out to be
    shared with others.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        *,
        prepares: bool = False,
        mixed_up: Callable[[], None] = lambda: None,
    ) -> None:
        self.prepares = prepares
        self._mixed_up = mixed_up
        self._connection = connection
        self._pgconn = connection.pgconn
        self._known: dict[bytes, _Statement] = {}
        self._prepared = 0
        self._input = select.poll()
        self._input.register(connection.fileno(), select.POLLIN)
        self._still = StillPoll(connection.fileno())

    def say(self, text: bytes) -> None:
        """Send a command without parameters: begin, commit, rollback."""
        self._check(self._pgconn.exec_(text))

    def run(
        self, text: bytes, params: Mapping[str, Any], make: MakeRow | None = None
    ) -> StatementResult:
        """Run a statement with parameters as `%(name)s`; rows are dicts, or made by `make`."""
        statement = self._known.get(text)
        if statement is None:
            statement = self._known[text] = _Statement(text, self._connection)
        values: list[bytes | None] = []
        for name in statement.names:  # the two common kinds at hand: after a rest a call costs 4 us
            value = params[name]
            if value.__class__ is str and "\0" not in value:
                values.append(value.encode())
            elif value.__class__ is int:
                values.append(b"%d" % value)
            else:
                values.append(_encode(value))
        result = self._check(self._send(statement, values))
        return StatementResult(statement.rows(result, make), result.command_tuples or 0)

    def is_quiet(self) -> bool:
        """Whether it is open with nothing to read; an idle one gets data only as a goodbye.

        Also False when somebody closed descriptors of this process.
        """
        return self._pgconn.status != BAD and self._still.is_still()

    def notices(self, timeout_s: float) -> Iterator[pq.PGnotify]:
        """Yield NOTIFY messages of others, as soon as there are some; none after the timeout."""
        self._pgconn.consume_input()  # some may come with the answer to a statement
        notice = self._pgconn.notifies()
        if notice is None and self._input.poll(timeout_s * 1000):
            self._pgconn.consume_input()
            notice = self._pgconn.notifies()
        while notice is not None:
            yield notice
            notice = self._pgconn.notifies()

    def _send(self, statement: _Statement, values: list[bytes | None]) -> pq.abc.PGresult:
        if statement.handle is None and self._is_to_prepare(statement):
            self._prepared += 1
            handle = handle_of(statement.text)
            self._check(self._pgconn.prepare(handle, statement.text))
            statement.handle = handle
        if statement.handle is None:
            return self._pgconn.exec_params(statement.text, values)
        # It takes None, for null; its annotation does not say so.
        return self._pgconn.exec_prepared(statement.handle, values)  # type: ignore[arg-type]

    def _is_to_prepare(self, statement: _Statement) -> bool:
        statement.uses += 1
        may = self.prepares and self._prepared < MOST_PREPARED
        return may and statement.uses > PREPARED_AFTER

    def _check(self, result: pq.abc.PGresult) -> pq.abc.PGresult:
        if result.status in GOOD:
            return result
        if not result.error_field(pq.DiagnosticField.SQLSTATE):
            # Not an answer of the server: libpq lost it. When it fails to write it may not know so
            # yet, and called a connection good that was gone in 68 of 240 restarts of a server.
            self._pgconn.finish()
            raise psycopg.OperationalError(result.get_error_message())
        error = psycopg.errors.error_from_result(result)
        if isinstance(error, SHARED_SESSION):
            self._mixed_up()
            raise StatementMismatch(str(error)) from error
        raise error


class _Statement:
    """A text as the server needs it, and how to read its result."""

    def __init__(self, text: bytes, connection: psycopg.Connection[Any]) -> None:
        self.text, self.names = numbered(text)
        self.handle: bytes | None = None
        self.uses = 0
        self._reader = Transformer.from_context(connection)
        self._columns: tuple[str, ...] = ()

    def rows(self, result: pq.abc.PGresult, make: MakeRow | None) -> list[Any]:
        width = result.nfields
        if not width:
            return []
        is_new = len(self._columns) != width
        if is_new:
            self._columns = tuple(str(result.fname(at), "utf-8") for at in range(width))  # type: ignore[arg-type]
        self._reader.set_pgresult(result, set_loaders=is_new)
        return self._reader.load_rows(0, result.ntuples, make or self._row)

    def _row(self, values: Sequence[Any]) -> Row:
        return dict(zip(self._columns, values, strict=True))


def handle_of(text: bytes) -> bytes:
    """Return the name of a prepared statement, made of its text.

    Numbers would mean another statement to each client, and a pooler lets clients meet in one
    session: this name can mean nothing else, whichever client prepared it.
    """
    return b"rota_" + hashlib.sha256(text).hexdigest()[:48].encode()


def numbered(text: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the text with $1, $2... in place of its marks, and the names for each."""
    names: dict[bytes, int] = {}

    def place(mark: re.Match[bytes]) -> bytes:
        name = mark[1]
        if name is None:
            return b"%"
        return b"$%d" % names.setdefault(name, len(names) + 1)

    return _MARK.sub(place, text), tuple(name.decode() for name in names)


def _encode(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        raw = value.encode()
        if b"\0" in raw:  # libpq would read no further
            raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
        return raw
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int | float):
        return repr(value).encode()
    if isinstance(value, bytes):
        return b"\\x" + value.hex().encode()
    raise TypeError(f"{type(value).__name__} is not a parameter")
