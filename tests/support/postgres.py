"""A throw-away PostgreSQL: own folder, own socket and port, gone when its maker is gone.

It never touches a server that was there before, and works for root too.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import quote

import psutil
import psycopg
from psycopg import sql

from tests.support.places import quick_folder
from tests.support.postgres_binaries import Identity, find_binaries, server_identity

START_LIMIT_S = 60.0
STILL_ENDING = "is still in use"
STOP_LIMIT_S = 60.0
STOP_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}

# Below the range that outgoing connections use, so a restart finds its port free.
_PORTS = range(20_000, 32_000)
_SETTINGS = {"listen_addresses": "127.0.0.1", "max_connections": "200"}
# Survives the death of processes, not of the machine: a committed row is in the page cache.
_NOT_DURABLE = {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",  # it is kept in memory
}

# Reads one line from its maker; end of file without one means the maker died.
_WATCH = 'read -r _ || { kill -QUIT "$1"; sleep 1; kill -KILL "$1"; rm -rf -- "$2"; }'

StopMode = Literal["fast", "immediate"]


class PostgresNotStarted(RuntimeError):
    """The server ended or did not answer; the message is the end of its log."""


class PostgresServer:
    """A throw-away server: `with PostgresServer() as server: connect(server.url())`.

    Without `fsync` it survives `kill` but not a crash of the machine; measure with it.
    """

    def __init__(
        self,
        *,
        fsync: bool = False,
        settings: Mapping[str, str] | None = None,
        password: str | None = None,
    ) -> None:
        self.binaries = find_binaries()
        self.port = 0
        self.password = password or secrets.token_hex(16)
        self._settings = _SETTINGS | ({} if fsync else _NOT_DURABLE) | dict(settings or {})
        self._place = None if fsync else quick_folder()
        self._identity: Identity = server_identity()
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None
        self._kept: psycopg.Connection | None = None

    def __enter__(self) -> Self:
        try:
            self._create()
            self._start_somewhere()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        if self._folder is None:
            raise RuntimeError("the server has not been entered: with PostgresServer() as server")
        return self._folder

    @property
    def pid(self) -> int | None:
        """The postmaster's process id, or None while the server is down."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def url(self, database: str = "postgres", *, tcp: bool = False) -> str:
        """Return the address of a database, by the private socket or by loopback TCP."""
        if tcp:
            return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/{database}"
        host = quote(str(self.folder), safe="")
        return f"postgresql://postgres@/{database}?host={host}&port={self.port}"

    def create_database(self, *, template: str = "template0") -> str:
        """Make an empty database, or a copy of `template`; return its socket address."""
        name = f"rota_{secrets.token_hex(6)}"
        statement = sql.SQL("create database {} template {}").format(
            sql.Identifier(name), sql.Identifier(template)
        )
        connection = self._admin()
        if connection.info.server_version >= 150_000:
            # Half the time of the default of 15 and newer, which logs every page.
            statement += sql.SQL(" strategy file_copy")
        connection.execute(statement)
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database, ending all sessions that are connected to it."""
        name = sql.Identifier(database_of(url))
        statement = sql.SQL("drop database {} with (force)").format(name)
        self._admin().execute(statement)

    @contextlib.contextmanager
    def database(self, *, template: str = "template0") -> Iterator[str]:
        """Yield the address of a database that is dropped at the end, even with the server down."""
        url = self.create_database(template=template)
        yield url
        self.start()
        self.drop_database(url)

    def start(self) -> None:
        """Start after `stop` or `kill`, on the same socket and port; returns when it answers."""
        if self.pid is not None:
            return
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            with (self.folder / "server.log").open("ab") as log:
                self._process = self._identity.popen(
                    [str(self.binaries / "postgres"), "-D", str(self.folder / "data")],
                    cwd=self.folder,
                    log=log,
                )
            self._start_watch(self._process.pid)
            try:
                self._await_answer(self._process)
            except PostgresNotStarted as error:
                # Sessions of a server that was killed end by themselves, on a busy machine late.
                if STILL_ENDING not in str(error) or time.monotonic() > deadline:
                    raise
                self._forget()
                time.sleep(0.1)
            else:
                return

    def stop(self, mode: StopMode = "fast") -> None:
        """Stop in order (`fast`), or at once with recovery at the next start (`immediate`)."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(STOP_SIGNALS[mode])
        process.wait(STOP_LIMIT_S)
        self._forget()

    def kill(self) -> None:
        """Kill the server and its children with SIGKILL: the nearest thing to pulling the plug."""
        process = self._process
        if process is None or process.poll() is not None:
            self._forget()
            return
        # Stopped first, or it makes a session more after we have counted them; that one would
        # wait for ever for locks which the others took along.
        process.send_signal(signal.SIGSTOP)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait(STOP_LIMIT_S)
        _await_gone(family)
        self._forget()

    def close(self) -> None:
        """Stop for good and remove the folder."""
        try:
            self.stop("immediate")
        except subprocess.TimeoutExpired:
            self.kill()
        finally:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def log(self) -> str:
        """Return the end of the server's log, for messages about failures."""
        path = self.folder / "server.log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def _create(self) -> None:
        # Short on purpose: the path of a socket may have 107 characters.
        self._folder = Path(tempfile.mkdtemp(prefix="rota-pg-", dir=self._place))
        self._identity.own(self._folder)
        secret = self._folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        self._identity.own(secret)
        self._identity.run(
            [
                str(self.binaries / "initdb"),
                f"--pgdata={self._folder / 'data'}",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                # The socket's folder is private; the port is open to every user of the machine.
                "--auth-local=trust",
                "--auth-host=scram-sha-256",
                f"--pwfile={secret}",
                "--no-sync",
            ],
            cwd=self._folder,
        )

    def _start_somewhere(self) -> None:
        """Start on a free port; another process may take it first, so try again."""
        for is_last in (False, False, True):
            self.port = free_port()
            self._write_settings()
            try:
                return self.start()
            except PostgresNotStarted:
                if is_last:
                    raise
                self._forget()
        return None

    def _write_settings(self) -> None:
        settings = self._settings | {
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
        }
        lines = [f"{name} = '{value}'\n" for name, value in settings.items()]
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(lines)

    def _await_answer(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise PostgresNotStarted(self.log()) from error
                time.sleep(0.02)
            else:
                return

    def _admin(self) -> psycopg.Connection:
        """Return a connection that is kept: a new one would cost a fifth of making a database."""
        if self._kept is not None and not _answers(self._kept):
            self._hang_up()
        self._kept = self._kept or psycopg.connect(self.url(), autocommit=True)
        return self._kept

    def _hang_up(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _start_watch(self, pid: int) -> None:
        """Start a tiny process that outlives us when we are killed, and then ends the server."""
        self._watch = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "watch", str(pid), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _forget(self) -> None:
        self._hang_up()
        self._process = None
        if self._watch is not None:
            self._watch.communicate(b"done\n")
            self._watch = None


def database_of(url: str) -> str:
    """The name of the database at the end of an address."""
    return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])


def _answers(connection: psycopg.Connection) -> bool:
    """Whether the connection still answers; something else may have killed its server."""
    try:
        connection.execute("")
    except psycopg.OperationalError:
        return False
    return True


def free_port() -> int:
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _await_gone(processes: list[psutil.Process]) -> None:
    """Wait until all have ended, or are zombies: in a container they may never be reaped."""
    deadline = time.monotonic() + STOP_LIMIT_S
    while any(_is_alive(process) for process in processes):
        if time.monotonic() > deadline:
            raise TimeoutError("children of PostgreSQL survived SIGKILL")
        time.sleep(0.01)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
