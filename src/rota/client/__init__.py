"""The client: the verbs of an App over HTTP, for programs without a database."""

from rota.client.client import Client
from rota.client.job import ServedJob
from rota.client.run import ServedRun

__all__ = ["Client", "ServedJob", "ServedRun"]
