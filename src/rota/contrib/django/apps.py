"""The part of a Django site that is Rota."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RotaConfig(AppConfig):  # type: ignore[misc]  # Django has no types
    """Imports `jobs.py` of every installed app, so that each process knows all jobs."""

    name = "rota.contrib.django"
    label = "rota"
    verbose_name = "Rota"

    def ready(self) -> None:
        """Import the jobs; called by Django once all models are there."""
        autodiscover_modules("jobs")
