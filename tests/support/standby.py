"""A synchronous standby of a PostgreSQL of our own: follows it, and takes its place."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psycopg

from tests.support.postgres import PostgresServer

PRIMARY = {"wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"}
LIMIT_S = 60.0


class Standby(PostgresServer):
    """Made of a running primary; once this is entered, each commit there is here, too.

    The primary must have `fsync=True` (the throw-away settings forbid replication). After that a
    commit of the primary waits for the standby, for ever if it is gone.
    """

    def __init__(self, primary: PostgresServer) -> None:
        super().__init__(fsync=True, settings=PRIMARY)
        self._primary = primary
        self.password = primary.password

    def promote(self) -> None:
        """Take the place of the primary; returns when it can be written to."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("select pg_promote(wait => true, wait_seconds => 30)")
            end_s = time.monotonic() + LIMIT_S
            while connection.execute("select pg_is_in_recovery()").fetchone() != (False,):
                if time.monotonic() > end_s:
                    raise TimeoutError(f"the standby was not promoted: {self.log()}")
                time.sleep(0.01)

    def _create(self) -> None:
        """A copy of the primary in place of a new cluster."""
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
        super()._start_somewhere()
        self._become_synchronous()

    def _become_synchronous(self) -> None:
        with psycopg.connect(self._primary.url(), autocommit=True) as connection:
            connection.execute("alter system set synchronous_standby_names = '*'")
            connection.execute("select pg_reload_conf()")
            asked = "select count(*) from pg_stat_replication where sync_state = 'sync'"
            end_s = time.monotonic() + LIMIT_S
            while connection.execute(asked).fetchone() != (1,):
                if time.monotonic() > end_s:
                    raise TimeoutError(f"the standby does not follow: {self.log()}")
                time.sleep(0.02)


def multi_host_url(*servers: PostgresServer, database: str) -> str:
    """One address for all of them that follows the one that can be written to."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    password = servers[0].password
    return (
        f"postgresql://postgres:{password}@{hosts}/{database}"
        "?target_session_attrs=read-write&connect_timeout=3"
    )
