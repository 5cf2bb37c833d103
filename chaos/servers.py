"""The servers of a chaos run: PostgreSQL alone, behind PgBouncer, or with a standby."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from chaos.pair import Pair
from chaos.sizes import Sizes
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer

SETTINGS = {"shared_buffers": "128MB"}
POOL = 8
"""Server connections of the pooler, for six processes that would have eight each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """The servers of one run, and their addresses."""

    first: PostgresServer
    bouncer: PgBouncer | None = None
    pair: Pair | None = None

    @property
    def primary(self) -> PostgresServer:
        """Return the writable server."""
        return self.first if self.pair is None else self.pair.primary

    @property
    def port(self) -> int:
        """Return the port that connections currently use."""
        return self.primary.port if self.bouncer is None else self.bouncer.port

    def address(self, database: str, *, wire_port: int | None) -> str:
        """Return an address for processes, through a wire or direct; valid after a failover."""
        if wire_port is not None:
            front = self.primary if self.bouncer is None else self.bouncer
            place = f"127.0.0.1:{wire_port}"
            return f"postgresql://postgres:{front.password}@{place}/{database}"
        if self.bouncer is not None:
            return self.bouncer.url(database)
        return self.primary.url(database) if self.pair is None else self.pair.address(database)


@contextmanager
def servers_of(sizes: Sizes) -> Iterator[Servers]:
    """Start the servers that the run needs; all are stopped afterwards."""
    with ExitStack() as stack:
        if sizes.has_standby:
            pair = Pair(stack, SETTINGS)
            yield Servers(first=pair.primary, pair=pair)
            return
        server = stack.enter_context(PostgresServer(fsync=True, settings=SETTINGS))
        bouncer = stack.enter_context(PgBouncer(server, pool=POOL)) if sizes.has_pooler else None
        yield Servers(first=server, bouncer=bouncer)
