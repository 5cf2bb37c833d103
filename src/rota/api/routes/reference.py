"""The API reference as a page: the browser makes it from the description, of this server alone."""

from __future__ import annotations

from importlib.resources import files

from litestar import Response, get

from rota.api.identity.authorization import needs
from rota.api.routes.pages import lead_in
from rota.errors import NotSignedIn

_FOLDER = files("rota.api") / "reference"


def _file(name: str, media_type: str) -> Response[bytes]:
    return Response((_FOLDER / name).read_bytes(), media_type=f"{media_type}; charset=utf-8")


@get(
    "/docs",
    **needs("viewer"),
    include_in_schema=False,
    sync_to_thread=False,
    exception_handlers={NotSignedIn: lead_in},
)
def show_reference() -> Response[bytes]:
    """All calls, with a form for each."""
    return _file("index.html", "text/html")


@get("/docs/reference.js", **needs("viewer"), include_in_schema=False, sync_to_thread=False)
def show_script() -> Response[bytes]:
    """The script of the page."""
    return _file("reference.js", "text/javascript")


@get("/docs/reference.css", **needs("viewer"), include_in_schema=False, sync_to_thread=False)
def show_style() -> Response[bytes]:
    """The style sheet of the page."""
    return _file("reference.css", "text/css")


ROUTES = (show_reference, show_script, show_style)
