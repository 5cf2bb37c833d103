"""The SQLite store: one file, one writer connection with group commit, readers beside it.

Through apsw, which brings a current SQLite. WAL and synchronous=FULL: when a write returns, it is
on disk. Other processes may use the same file on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any, Self, TypeVar

import apsw

from rota.clock import elapsed_s
from rota.errors import StoreLost
from rota.shield import shielded
from rota.store.base import CommitParticipant, JoinedWork, Tx, Wake, Watch
from rota.store.descriptors import check_descriptors, set_canary
from rota.store.group_commit import GroupCommit
from rota.store.sqlite.coexistence import disown, own
from rota.store.sqlite.dialect import OWN
from rota.store.sqlite.errors import BUSY_MS, is_damage, lost, translated
from rota.store.sqlite.file import file_facts, make_private
from rota.store.sqlite.file_watch import FileWatch
from rota.store.sqlite.open_files import StoreFiles
from rota.store.sqlite.processes import Processes
from rota.store.sqlite.tx import SqliteTx
from rota.store.statements import Statement, load
from rota.store.wakeups import Wakeups

T = TypeVar("T")
PRAGMAS = (
    f"pragma busy_timeout = {BUSY_MS}",  # first: several processes may make the file at once
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma cache_size = -16000",
    "pragma wal_autocheckpoint = 4000",
)


@cache
def _load_statements() -> dict[str, Statement]:
    return load(OWN)  # 10 ms, once in a process


class SqliteStore:
    """A store in one file; the module states its promises."""

    dialect = "sqlite"
    login: str | None = None

    def __init__(self, url: str, path: Path, *, clock: Callable[[], int] | None = None) -> None:
        self.url = url
        self.path = path
        self.touches = 0
        self.lost: StoreLost | None = None
        self._is_living = self._is_damaged = False
        self._clock = clock
        self._statements = _load_statements()
        self._columns: dict[str, tuple[str, ...]] = {}
        self._memo: dict[Any, Any] = {}
        self._writing = Lock()
        own(path)
        try:
            self._writer = self._connect()
        except BaseException:
            disown(path)
            raise
        set_canary()
        self._is_open = True
        self.log = Path(self._writer.filename_wal)  # where a link leads to
        self._files = StoreFiles(path, self.log)
        self._readers: list[apsw.Connection] = []
        self._commit: GroupCommit[Callable[[SqliteTx], Any], Any] = GroupCommit(self._flush)
        self.wakeups = Wakeups()
        self.presence = Processes()
        self._file_watch = FileWatch(self, self.wakeups)

    @shielded
    def write(
        self,
        work: Callable[[Tx], T],
        *,
        urgent: bool = False,  # noqa: ARG002  # one writer serves all
        lone: bool = False,  # noqa: ARG002  # a commit is shared anyway
        joinable: bool = False,  # noqa: ARG002  # participants may join all
    ) -> T:
        answer: T = self._commit(work)
        return answer

    @shielded
    def read(self, work: Callable[[Tx], T]) -> T:
        self._check_file()
        try:
            connection = self._readers.pop()
        except IndexError:
            connection = self._connect()
        try:
            connection.execute("begin")
            try:
                return work(self._tx(connection))
            finally:
                if connection.in_transaction:  # SQLite ends it itself when the disk fails
                    connection.execute("rollback")
        except apsw.Error as error:
            raise self._translate(error) from error
        finally:
            self._readers.append(connection)

    def scoped(self, namespaces: Collection[str]) -> Self:  # noqa: ARG002  # one file, one reader
        """Return the whole store: SQLite knows no roles."""
        return self

    def join_commits(self, participant: CommitParticipant) -> Watch:
        return self.wakeups.join_commits(participant)

    def watch(self, wake: Wake, *, heard: Wake | None = None) -> Watch:
        self._file_watch.start()
        return self.wakeups.watch(wake, heard)

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Do nothing: there are no partitions; old rows are pruned in batches."""

    def know_login(self) -> None:
        """Do nothing: SQLite has no logins."""

    def facts(self) -> dict[str, str | int]:
        """Return the size of the log, free space, and the kind of file system."""
        return file_facts(self.log)

    def close(self) -> None:
        self._file_watch.stop()
        with self._writing:
            if self._is_open and (self._is_damaged or self._files.is_log_of_another()):
                # The last to close folds in its log and removes it by name, and that is another's,
                # or would go into what is damaged.
                # (Of a log that is gone nobody else knows: folding it in saves what it holds.)
                for each in (self._writer, *self._readers):
                    each.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._writer.close()
        while self._readers:
            self._readers.pop().close()
        if self._is_open:
            self._is_open = False
            self._files.close()
            disown(self.path)

    def _connect(self) -> apsw.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_private(self.path)
            connection = apsw.Connection(str(self.path))
            # Without it each statement is planned anew for its parameters: 200 us a claim.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            for pragma in PRAGMAS:
                _set(connection, pragma)
        except (apsw.Error, OSError) as error:
            raise self._translate(error) from error
        return connection

    def _check_file(self) -> None:
        """Refuse to use a file that was moved away or replaced, or that is damaged."""
        if self._is_damaged and self.lost is not None:
            raise self.lost
        check_descriptors()
        if not self._files.are_untouched() and self._files.are_others():
            self.lost = StoreLost(
                f"the SQLite file {self.path}, its write-ahead log or its -shm was moved, deleted "
                "or replaced while this process used it; nothing is written any more. Put the "
                "files back together, or start the process again to use what is there now"
            )
            raise self.lost

    def _check_contents(self) -> None:
        """Refuse to write into files that were cut off or copied over; we hold the lock."""
        if self._files.are_ready() and not self._is_damaged:
            return
        self._check_file()
        if (harm := self._files.harm()) is not None:
            self._is_damaged = True
            self.lost = lost(self.path, harm)
            raise self.lost

    def _translate(self, error: Exception) -> Exception:
        answer = translated(error, path=self.path, is_living=self._is_living)
        if isinstance(answer, StoreLost) and is_damage(error):
            self._is_damaged = True
            self.lost = answer
        return answer

    def _tx(self, connection: apsw.Connection) -> SqliteTx:
        now = self._clock() if self._clock else None
        return SqliteTx(connection, self._statements, self._columns, now, self._memo)

    def _flush(self, works: list[Callable[[SqliteTx], Any]]) -> Sequence[Any]:
        """One commit for all; a work that fails is rolled back alone."""
        with self._writing:
            joined_work: list[JoinedWork] = []
            is_committed = False
            self.touches += 1
            try:  # Ctrl-C may come as soon as the transaction has begun
                self._writer.execute("begin immediate")
                self._check_contents()
                tx = self._tx(self._writer)
                # One that is alone needs no savepoint: it fails with its transaction.
                is_alone = len(works) == 1
                answers = [work(tx) if is_alone else self._attempt(tx, work) for work in works]
                self._join_participants(tx, joined_work)
                self._writer.execute("commit")
                is_committed = self._is_living = True
            except apsw.Error as error:
                raise self._translate(error) from error
            finally:
                if not is_committed:
                    self._give_up(joined_work)
                self.touches += 1
        for joined in joined_work:
            joined.committed()
        self.wakeups.ring(tx.keys())
        return answers

    def _attempt(self, tx: SqliteTx, work: Callable[[SqliteTx], Any]) -> Any:
        news = tx.remember()
        self._writer.execute("savepoint work")
        try:
            answer = work(tx)
        except Exception as error:  # it is raised in the caller that sent the work
            answer = self._translate(error)
            if not self._writer.in_transaction or self._is_damaged:
                # A full or broken disk: SQLite rolled everything back, the works before this too.
                raise answer from error
            self._writer.execute("rollback to work")
            tx.restore(news)
        self._writer.execute("release work")
        return answer

    def _join_participants(self, tx: SqliteTx, joined_work: list[JoinedWork]) -> None:
        """Participants that fail are left out; they must not hurt the works they join."""
        keys = frozenset(tx.keys())
        for participant in self.wakeups.participants() if keys else ():
            joined = self._attempt(tx, partial(participant.join, keys=keys))
            if joined and not isinstance(joined, Exception):
                joined_work.append(joined)

    def _give_up(self, joined_work: list[JoinedWork]) -> None:
        """Tell participants that nothing was committed; on a full disk SQLite rolls back itself."""
        try:
            if self._writer.in_transaction:
                self._writer.execute("rollback")
        finally:
            for joined in joined_work:
                joined.fail()

    def version(self) -> int | None:
        """Return a number that changes when another process has written.

        None while we are writing ourselves, and when the file cannot be read just now.
        """
        if not self._writing.acquire(blocking=False):
            return None
        try:
            return int(self._writer.pragma("data_version"))
        except apsw.Error:
            return None
        finally:
            self._writing.release()


def _set(connection: apsw.Connection, pragma: str) -> None:
    """Make a setting; SQLite refuses a new journal at once while another process makes the file."""
    end_s = elapsed_s() + BUSY_MS / 1000
    while True:
        try:
            connection.execute(pragma).fetchall()
        except apsw.BusyError:
            if elapsed_s() > end_s:
                raise
            sleep(0.01)
        else:
            return
