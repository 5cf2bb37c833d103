"""A worker without a database, with a server behind it; otherwise like any other worker."""

from __future__ import annotations

from rota.app.app import App
from rota.client import Client
from rota.remote.source import HttpSource
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker


class RemoteWorker(Worker):
    """One worker process that carries out the jobs of an app for a server.

    Claims, leases, retries and results are decided there; this process has the code.
    """

    def __init__(
        self, app: App, client: Client, options: WorkerOptions, *, token: str | None = None
    ) -> None:
        super().__init__(HttpSource(app, client, options, token=token), options)
