"""The application: all routes behind the gate, one way to tell errors, a true description."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from litestar import Litestar, Router
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.routes import BaseRoute
from litestar.types import ASGIApp, ControllerRouterHandler

from rota.api.ask import Ask
from rota.api.doors import Doors
from rota.api.gate import gate, operations
from rota.api.problems import respond
from rota.api.proxied import Proxied
from rota.api.site import Site
from rota.api.squeezed import Squeezed
from rota.version import version

PREFIX = "/api/v1"


def create_app(site: Site, routes: Sequence[ControllerRouterHandler] | None = None) -> ASGIApp:
    """The application behind its doors, ready for a server."""
    return behind_doors(make_litestar(site, routes), site)


def behind_doors(app: Litestar, site: Site) -> ASGIApp:
    """The application for this site; it may have been another's that is over."""
    app.state.site = site
    doors = Doors(Squeezed(app), site.options, site.refusals)
    return Proxied(doors, site.options) if site.options.behind_proxy else doors


def make_litestar(site: Site, routes: Sequence[ControllerRouterHandler] | None = None) -> Litestar:
    """Everything registered and checked: an operation without a role does not start."""
    from rota.api.routes import API, ROOT  # noqa: PLC0415  # routes know the application

    api = Router(path=PREFIX, route_handlers=list(API if routes is None else routes))
    app = _Plain(
        route_handlers=[*ROOT, api],
        guards=[gate],
        request_class=Ask,
        exception_handlers={Exception: respond},
        openapi_config=_description(),
        request_max_body_size=site.options.body_bytes,
        lifespan=[_living],
        logging_config=None,
        debug=False,
    )
    app.state.site = site
    list(operations(app))
    return app


class _Plain(Litestar):
    """Speaks msgspec alone: support for pydantic, where that is installed, would cost 8 MB."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


class _NoRoutes(Router):
    """Litestar would serve the description by itself, past the gate; ours is a route."""

    def register(self, value: ControllerRouterHandler) -> list[BaseRoute]:  # noqa: ARG002
        return []


def _description() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Rota",
        version=version(),
        use_handler_docstrings=True,
        operation_id_creator=lambda handler, _method, _path: camel(handler.handler_name),
        openapi_router=_NoRoutes(path="/nowhere", route_handlers=[]),
        render_plugins=[JsonRenderPlugin()],
        components=Components(
            security_schemes={
                "token": SecurityScheme(type="http", scheme="bearer"),
                "session": SecurityScheme(
                    type="apiKey",
                    name="rota",
                    security_scheme_in="cookie",
                    description="Changes also need the header X-CSRF-Token.",
                ),
            }
        ),
    )


def camel(name: str) -> str:
    """`submit_run` is `submitRun`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@asynccontextmanager
async def _living(app: Litestar) -> AsyncIterator[None]:
    site: Site = app.state.site
    await site.start()
    try:
        yield
    finally:
        await site.stop()
