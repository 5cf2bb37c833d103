"""The application: all routes behind the gate, one form for errors, a true description."""

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

from rota.api.identity.authorization import gate, operations
from rota.api.server.compression import CompressionMiddleware
from rota.api.server.edge import EdgeMiddleware
from rota.api.server.problems import respond
from rota.api.server.proxy import ProxyMiddleware
from rota.api.server.request import ApiRequest
from rota.api.server.state import ServerState
from rota.api.server.view_schemas import ViewSchemas
from rota.clock import Moment
from rota.model.view import JsonText, to_wire
from rota.version import version

PREFIX = "/api/v1"


def create_app(
    server_state: ServerState, routes: Sequence[ControllerRouterHandler] | None = None
) -> ASGIApp:
    """Return the application inside its middleware, ready for a server."""
    return behind_doors(make_litestar(server_state, routes), server_state)


def behind_doors(app: Litestar, server_state: ServerState) -> ASGIApp:
    """Put the application behind the middleware of this server.

    The application may have belonged to a server that is gone.
    """
    app.state.server_state = server_state
    doors = EdgeMiddleware(CompressionMiddleware(app), server_state.options, server_state.refusals)
    return (
        ProxyMiddleware(doors, server_state.options) if server_state.options.behind_proxy else doors
    )


def make_litestar(
    server_state: ServerState, routes: Sequence[ControllerRouterHandler] | None = None
) -> Litestar:
    """Return the Litestar application, checked: a route without a role stops the start."""
    from rota.api.routes.all_routes import API, ROOT  # noqa: PLC0415  # routes know the application

    api = Router(path=PREFIX, route_handlers=list(API if routes is None else routes))
    app = _Plain(
        route_handlers=[*ROOT, api],
        guards=[gate],
        request_class=ApiRequest,
        exception_handlers={Exception: respond},
        openapi_config=_description(),
        request_max_body_size=server_state.options.body_bytes,
        lifespan=[_living],
        logging_config=None,
        type_encoders={Moment: to_wire, JsonText: to_wire},
        debug=False,
    )
    app.state.server_state = server_state
    list(operations(app))
    return app


class _Plain(Litestar):
    """Support for msgspec alone: that for pydantic, where it is installed, would cost 8 MB."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin(), ViewSchemas()]


class _NoRoutes(Router):
    """No routes of Litestar for the description: they would be past the gate; ours is a route."""

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
    """Turn `submit_run` into `submitRun`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@asynccontextmanager
async def _living(app: Litestar) -> AsyncIterator[None]:
    server_state: ServerState = app.state.server_state
    await server_state.start()
    try:
        yield
    finally:
        await server_state.stop()
