"""Rota in a Django site: add `rota.contrib.django` to INSTALLED_APPS; see docs/django.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rota.contrib.django.site_app import app

__all__ = ["app"]


def __getattr__(name: str) -> Any:
    """Return the app of the site, made when it is first named: Django imports this too early."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rota.contrib.django.site_app import app  # noqa: PLC0415

    return app
