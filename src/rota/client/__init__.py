"""The client: the verbs of an App for people who have no database, over HTTP to a server."""

from rota.client.client import Client
from rota.client.job import ServedJob
from rota.client.run import ServedRun

__all__ = ["Client", "ServedJob", "ServedRun"]
