"""A server of this process on a real socket, and clients with credentials for it."""

from __future__ import annotations

import secrets
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any

import httpx2
import msgspec
import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp

from rota.api.server.asgi import behind_doors, make_litestar
from rota.api.server.options import ServerOptions
from rota.api.server.process import config_of, listen
from rota.api.server.state import ServerState
from rota.app import App
from rota.engine.identity.namespaces import put_namespace
from rota.engine.jobs.definitions import define
from rota.model.identity.credentials import Quotas
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.operations.identity.new_tokens import draw_token, give_token

PATIENCE_S = 60.0
TRUST = ssl.create_default_context()
"""Shared: reading the certificates of the system costs each client 30 ms of a core."""
HOME = "default"
OTHER = "other"
ADD = JobSpec(name="add", target=PythonTarget(ref="shop:add"), parameters={"a": "int", "b": "int"})
SAY = JobSpec(name="say", target=PythonTarget(ref="shop:say"), parameters={"a": "str", "b": "int"})


class Served:
    """A running server and what tests ask of it."""

    def __init__(self, app: App, site: ServerState, address: str) -> None:
        self.app = app
        self.site = site
        self.address = address
        self.stop: Callable[[], None] = lambda: None
        self._clients: list[httpx2.Client] = []

    def token(
        self,
        *roles: str,
        namespace: str = HOME,
        queues: Sequence[str] | None = None,
        expires: str | None = None,
        name: str = "test",
    ) -> str:
        """The secret of a fresh token."""
        drawn = draw_token(name, roles=roles or ("admin", "exec"), queues=queues, expires=expires)
        self.issued = drawn.token.id
        at = {"namespace": namespace, "who": "test"}
        self.app.store.write(lambda tx: give_token(tx, drawn.token, **at))
        return drawn.secret

    def client(self, *roles: str, **fields: Any) -> httpx2.Client:
        """With a token of these roles; an admin if none are named."""
        return self.anyone(Authorization=f"Bearer {self.token(*roles, **fields)}")

    def anyone(self, **headers: str) -> httpx2.Client:
        """Without a credential, unless the headers bring one."""
        client = httpx2.Client(
            base_url=self.address, headers=headers, timeout=PATIENCE_S, verify=TRUST
        )
        self._clients.append(client)
        return client

    def define(self, spec: JobSpec = ADD, *, namespace: str = HOME, origin: str = "api") -> None:
        self.app.store.write(lambda tx: define(tx, spec, namespace=namespace, origin=origin))

    def close(self) -> None:
        for client in self._clients:
            client.close()


_spare: dict[int, list[Litestar]] = {}
"""Applications whose servers have ended, by the size of the bodies they take."""


@contextmanager
def application(site: ServerState) -> Iterator[ASGIApp]:
    """For a server of this process: to register and check all routes takes 150 ms of a core."""
    spare = _spare.setdefault(site.options.body_bytes, [])
    app = spare.pop() if spare else make_litestar(site)
    yield behind_doors(app, site)
    spare.append(app)


@contextmanager
def serving(url: str, **options: Any) -> Iterator[Served]:
    """A server on a free port; both namespaces have the job `add`."""
    asked = ServerOptions(**{"port": 0, "rate": 100_000.0} | options)
    sock = listen(asked)
    asked = msgspec.structs.replace(asked, port=sock.getsockname()[1])
    with App(url) as app, ExitStack() as stack:
        app.store.write(lambda tx: put_namespace(tx, OTHER, Quotas()))
        site = ServerState(app, asked)
        server = uvicorn.Server(config_of(site, stack.enter_context(application(site))))
        thread = Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        served = Served(app, site, asked.address)

        def stop() -> None:
            server.should_exit = True

        served.stop = stop
        try:
            wait_until(lambda: server.started or not thread.is_alive())
            assert server.started
            for namespace in (HOME, OTHER):
                served.define(namespace=namespace)
            yield served
        finally:
            served.close()
            stop()
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
            sock.close()


def wait_until(is_so: Any) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.01)


def some_key() -> str:
    return secrets.token_hex(8)
