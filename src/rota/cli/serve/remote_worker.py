"""`rota worker --server`: a worker process that has no database."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from rota.errors import BadOption

if TYPE_CHECKING:
    from rota.app import App
    from rota.remote import RemoteWorker
    from rota.runtime.options import WorkerOptions
    from rota.settings.table import Settings

ANSWER_S = 10.0
"""Half a lease: a heartbeat without an answer must leave time for another."""


def far_worker(settings: Settings, app: App, options: WorkerOptions) -> RemoteWorker:
    """Return a remote worker with the usual settings; options for a database are refused."""
    from rota.cli.connect.server_client import token_of
    from rota.client import Client
    from rota.remote import RemoteWorker
    from rota.runtime.attempts.remote_services import NO_STORE
    from rota.store.open import forbid

    for name, value in (("alert_webhook", settings.alert_webhook), ("anchor", settings.anchor)):
        if value:
            raise BadOption(
                f"{name} is for processes that do the chores of a database; a worker of a server "
                "does none"
            )
    token = token_of(settings)
    connection = settings.options_of("client") | {"timeout": ANSWER_S, "patience": 0}
    client = Client(settings.server, token=token or "", **connection)
    if settings.namespace is not None:
        namespace = client.session().namespace
        if namespace != settings.namespace:
            raise BadOption(
                f"the token belongs to namespace {namespace}, not to {settings.namespace}"
            )
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # a line for each heartbeat is too much
    os.environ.pop("ROTA_TOKEN", None)  # what handlers start does not inherit it
    forbid(NO_STORE)
    return RemoteWorker(app, client, options, token=token)
