"""A throw-away PgBouncer in front of a throw-away PostgreSQL: own folder, own port.

It refuses to run as root, so it runs under the identity that PostgreSQL has here.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from tests.support.postgres import PostgresServer, free_port
from tests.support.postgres_binaries import Identity, server_identity

START_LIMIT_S = 60.0
STOP_LIMIT_S = 30.0
PLACES = ("/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin")
SETTINGS = {
    "pool_mode": "transaction",
    "auth_type": "md5",
    "max_client_conn": "500",
    "admin_users": "postgres",
    "log_connections": "0",
    "log_disconnections": "0",
    "listen_addr": "127.0.0.1",
}


class PgBouncerMissing(RuntimeError):
    """PgBouncer is not installed; on Debian: apt-get install pgbouncer."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


def find_pgbouncer() -> str:
    """Return its program; Debian keeps it where only root's PATH leads."""
    for path in (None, *PLACES):
        if found := shutil.which("pgbouncer", path=path):
            return found
    raise PgBouncerMissing


class PgBouncer:
    """`with PgBouncer(server, pool=1) as bouncer: connect(bouncer.url(database))`.

    `pool` is the number of server connections for each database and user.
    """

    def __init__(
        self, server: PostgresServer, *, pool: int = 4, settings: Mapping[str, str] | None = None
    ) -> None:
        self.port = 0
        self.password = server.password
        self._program = find_pgbouncer()
        self._server = server
        self._settings = SETTINGS | {"default_pool_size": str(pool)} | dict(settings or {})
        self._identity: Identity = server_identity()
        self._folder = Path(tempfile.mkdtemp(prefix="rota-pgb-"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._identity.own(self._folder)
            self.port = free_port()
            self._write_settings()
            self.start()
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

    def url(self, database: str) -> str:
        """Return the plain address of a database behind it."""
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        with (self._folder / "out.log").open("ab") as log:
            self._process = self._identity.popen(
                [self._program, str(self._folder / "pgbouncer.ini")], cwd=self._folder, log=log
            )
        end_s = time.monotonic() + START_LIMIT_S
        while True:
            try:
                psycopg.connect(self.url("pgbouncer"), autocommit=True, connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > end_s:
                    raise RuntimeError(self.log()) from error
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """Kill it at once: clients and server connections are gone without a goodbye."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(STOP_LIMIT_S)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def log(self) -> str:
        """Return the end of its log, for messages about failures."""
        return (self._folder / "out.log").read_text(errors="replace")[-4000:]

    def admin(self, command: str) -> list[tuple[object, ...]]:
        """Run a command at its console, such as `show pools`."""
        with psycopg.connect(
            self.url("pgbouncer"), autocommit=True, cursor_factory=psycopg.ClientCursor
        ) as console:
            cursor = console.execute(command.encode())
            return cursor.fetchall() if cursor.description else []

    def _write_settings(self) -> None:
        users = self._folder / "users.txt"
        users.write_text(f'"postgres" "{self.password}"\n')
        settings = self._settings | {
            "listen_port": str(self.port),
            "auth_file": str(users),
            "unix_socket_dir": str(self._folder),
        }
        lines = [f"{name} = {value}" for name, value in settings.items()]
        where = f"* = host={self._server.folder} port={self._server.port} user=postgres"
        text = "\n".join(["[databases]", where, "[pgbouncer]", *lines, ""])
        config = self._folder / "pgbouncer.ini"
        config.write_text(text)
        for path in (users, config):
            path.chmod(0o600)
            self._identity.own(path)
