"""The app of a Django site: its store, and handlers with database connections that work."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import django
from asgiref.sync import sync_to_async
from django.apps import apps
from django.db import close_old_connections

from rota.app.app import App
from rota.contrib.django.options import site_options, store_url
from rota.runtime.attempts.context import current

P = ParamSpec("P")
R = TypeVar("R")


class DjangoApp(App):
    """The app of the setting ROTA.

    Each run begins and ends as a request does: connections that are broken, or older than
    CONN_MAX_AGE, are closed.
    """

    def handler_of(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function with fresh connections around it, while a run calls it."""
        if inspect.iscoroutinefunction(function):
            return cast("Callable[P, R]", _fresh_async(function))
        return _fresh(function)


def _fresh(function: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(function)
    def handler(*args: P.args, **kwargs: P.kwargs) -> R:
        if current.get() is None:  # a plain call: the connections are those of the caller
            return function(*args, **kwargs)
        close_old_connections()
        try:
            return function(*args, **kwargs)
        finally:
            close_old_connections()

    return handler


def _fresh_async(function: Callable[..., Any]) -> Callable[..., Any]:
    close = sync_to_async(close_old_connections)  # in the thread in which Django's ORM works

    @functools.wraps(function)
    async def handler(*args: Any, **kwargs: Any) -> Any:
        if current.get() is None:
            return await function(*args, **kwargs)
        await close()
        try:
            return await function(*args, **kwargs)
        finally:
            await close()

    return handler


def _site_app() -> DjangoApp:
    options = site_options()
    return DjangoApp(
        store_url(options),
        name=options.name,
        namespace=options.namespace,
        release=options.release,
        upgrade=options.upgrade,
    )


app = _site_app()
"""The app of the site."""

if not (apps.ready or apps.loading):  # a worker, or a child of it, that comes here first
    django.setup()
