"""A worker without a login of the database: it speaks to a server, with a token of its own."""

from rota.remote.worker import RemoteWorker

__all__ = ["RemoteWorker"]
