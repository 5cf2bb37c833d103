"""A synchronous standby of a throw-away PostgreSQL: follows it, and takes its place."""

from __future__ import annotations

import contextlib
import signal
import tempfile
import time
from pathlib import Path

import psutil
import psycopg

from tests.support.postgres import PostgresServer

PRIMARY = {
    "wal_level": "replica",
    "max_wal_senders": "4",
    "hot_standby": "on",
    # A standby that was away for a while, or whose primary was, finds what it missed, and soon.
    "wal_keep_size": "512MB",
    "wal_retrieve_retry_interval": "200ms",
}
LIMIT_S = 60.0
SYNCHRONOUS = "select count(*) from pg_stat_replication where sync_state = 'sync'"


class Standby(PostgresServer):
    """A standby made of a running primary; once this is entered, each commit there is here, too.

    The primary must have `fsync=True` (the throw-away settings forbid replication). After that a
    commit of the primary waits for the standby, for ever if it is gone.
    """

    def __init__(self, primary: PostgresServer, *, port: int | None = None) -> None:
        """Use that port, if one is given, so that an address of both servers stays good."""
        super().__init__(fsync=True, settings=PRIMARY)
        self._primary = primary
        self._fixed_port = port
        self.password = primary.password

    def follows(self) -> bool:
        """Whether commits of the primary wait for this one; it may be silent all the same."""
        try:
            with psycopg.connect(self._primary.url(), autocommit=True, connect_timeout=5) as asked:
                return asked.execute(SYNCHRONOUS).fetchone() == (1,)
        except psycopg.OperationalError:
            return False

    def pause(self) -> None:
        """Fall silent: commits of the primary wait until `resume`."""
        self._send_all(signal.SIGSTOP)

    def resume(self) -> None:
        self._send_all(signal.SIGCONT)

    def promote(self) -> None:
        """Take the place of the primary; return when it can be written to."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("select pg_promote(wait => true, wait_seconds => 30)")
            end_s = time.monotonic() + LIMIT_S
            while connection.execute("select pg_is_in_recovery()").fetchone() != (False,):
                if time.monotonic() > end_s:
                    raise TimeoutError(f"the standby was not promoted: {self.log()}")
                time.sleep(0.01)

    def _create(self) -> None:
        """Make a copy of the primary in place of a new cluster."""
        self._folder = Path(tempfile.mkdtemp(prefix="rota-pg-"))
        self._identity.own(self._folder)
        self._identity.run(
            [
                str(self.binaries / "pg_basebackup"),
                f"--dbname={self._primary.url()}",
                f"--pgdata={self._folder / 'data'}",
                "--write-recovery-conf",
                "--wal-method=stream",
                "--checkpoint=fast",
                "--no-sync",
            ],
            cwd=self._folder,
        )

    def _start_somewhere(self) -> None:
        if self._fixed_port is None:
            super()._start_somewhere()
        else:
            self.port = self._fixed_port
            self._write_settings()
            self.start()
        self._become_synchronous()

    def _send_all(self, number: signal.Signals) -> None:
        """Signal the postmaster first, so that it makes no process that gets no signal."""
        if self.pid is None:
            return
        postmaster = psutil.Process(self.pid)
        postmaster.send_signal(number)
        for each in postmaster.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.send_signal(number)

    def _become_synchronous(self) -> None:
        with psycopg.connect(self._primary.url(), autocommit=True) as connection:
            connection.execute("alter system set synchronous_standby_names = '*'")
            connection.execute("select pg_reload_conf()")
            end_s = time.monotonic() + LIMIT_S
            while connection.execute(SYNCHRONOUS).fetchone() != (1,):
                if time.monotonic() > end_s:
                    raise TimeoutError(f"the standby does not follow: {self.log()}")
                time.sleep(0.02)


def multi_host_url(*servers: PostgresServer, database: str) -> str:
    """Return one address for all servers, which leads to the one that can be written to."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    password = servers[0].password
    return (
        f"postgresql://postgres:{password}@{hosts}/{database}"
        "?target_session_attrs=read-write&connect_timeout=3"
    )
