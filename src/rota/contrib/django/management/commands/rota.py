"""`manage.py rota ...`: every command of Rota, with the jobs and the store of the site."""

from __future__ import annotations

import os
import sys

from django.core.management.base import BaseCommand

from rota.cli.main import main
from rota.contrib.django import app


class Command(BaseCommand):  # type: ignore[misc]  # Django has no types
    """Hands its words to Rota."""

    help = "Commands of Rota with the jobs of this site: rota up, rota worker, rota runs..."

    def run_from_argv(self, argv: list[str]) -> None:
        """Run a command of Rota; its flags are Rota's, not Django's."""
        sys.exit(self.handle(*argv[2:]))

    def handle(self, *words: str, **_: object) -> int:
        """Run a command of Rota and return its exit code."""
        os.environ.setdefault("ROTA_APP", "rota.contrib.django.site_app:app")
        os.environ.setdefault("ROTA_URL", app.url)
        os.environ.setdefault("ROTA_NAMESPACE", app.namespace)
        return main(words)
