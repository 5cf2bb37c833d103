"""The public entry point: App, its jobs and the handles of their runs."""

from rota.app.app import App
from rota.app.jobs.job import Job
from rota.app.run import Run

__all__ = ["App", "Job", "Run"]
