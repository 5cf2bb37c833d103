"""A worker without a database login: it speaks to a server, with its own token."""

from rota.remote.worker import RemoteWorker

__all__ = ["RemoteWorker"]
