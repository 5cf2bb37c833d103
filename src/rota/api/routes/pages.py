"""The web UI: one page for every address of it, and the files that page loads.

All of it is behind the gate like the rest. A person who is not signed in is sent to the sign-in
page, which needs no script. While the database is away no credential can be checked, and a page
says that. Files have the hash of their content in their name, so browsers keep them.
"""

from __future__ import annotations

import gzip
import mimetypes
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

import rota
from rota.api.identity.authorization import ANY_QUERY, needs
from rota.api.server.problems import respond
from rota.api.server.request import ApiRequest
from rota.api.signin import page
from rota.errors import NotSignedIn, StoreUnavailable

BUILT = Path(rota.__file__).parent / "web" / "dist"
NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Rota</title>
<h1>Rota</h1>
<p>The server runs; its pages are not built. In the source tree <code>make web</code> builds them;
a wheel has them inside. The API is at <a href="/api/v1/openapi.json">/api/v1</a>.</p>
</html>
"""
PAGE = "text/html"
FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}
AWAY = "Rota cannot reach its database"
AWAY_ABOUT = (
    "The server runs, but what it knows is out of reach. Nothing is lost: workers and this page "
    "try again all the time. If it lasts, look at the database and at the log of the server."
)
AGAIN = {"Refresh": "5", "Retry-After": "5", "Cache-Control": "no-store"}
SQUEEZED_FROM = 1_000
"""The smallest file that is compressed, in bytes; for less it is not worth the work."""


def lead_in(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer a person with the sign-in page where a program gets a problem document."""
    if _is_person(request):
        return Response("", status_code=303, headers={"Location": _login(request)})
    return respond(request, error)


def put_off(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer a person with a page while the database is away; the page reloads on its own."""
    answer = respond(request, error)
    if _is_person(request):
        text = page(title=AWAY, about=AWAY_ABOUT, with_form=False)
        return Response(text, status_code=answer.status_code, media_type=PAGE, headers=AGAIN)
    return answer


def _is_person(request: Request[Any, Any, Any]) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _login(request: Request[Any, Any, Any]) -> str:
    """Return the sign-in page, which leads back to the page that the person wanted."""
    query = request.url.query
    target = request.url.path + (f"?{query}" if query else "")
    return "/login" if target == "/" else f"/login?next={quote(target, safe='')}"


_VIEWED: dict[str, Any] = {
    "opt": {**needs("viewer")["opt"], ANY_QUERY: True},
    "include_in_schema": False,
    "exception_handlers": {NotSignedIn: lead_in, StoreUnavailable: put_off},
    "sync_to_thread": False,
}


@get("/", **_VIEWED)
def show_start(request: ApiRequest) -> Response[bytes]:
    """The page itself."""
    return _page(request)


@get("/{place:path}", **_VIEWED)
def show_place(request: ApiRequest, place: FromPath[Path]) -> Response[bytes]:
    """A file of the page, or the page, which knows its own addresses."""
    path = str(place).lstrip("/")
    if path == "api" or path.startswith("api/"):
        raise NotFoundException(detail=f"there is nothing at /{path}")
    if path not in _files():
        return _page(request)
    headers = FOR_EVER if path.startswith("assets/") else {}
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return _answer(request, path, kind, headers)


def _page(request: ApiRequest) -> Response[bytes]:
    if "index.html" not in _files():
        return Response(NOT_BUILT.encode(), media_type=PAGE)
    return _answer(request, "index.html", PAGE, {})


def _answer(request: ApiRequest, path: str, kind: str, headers: dict[str, str]) -> Response[bytes]:
    plain, squeezed = _content(path)
    if squeezed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers = {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(squeezed, media_type=kind, headers=headers)
    return Response(plain, media_type=kind, headers=headers)


@cache
def _files() -> frozenset[str]:
    """Return the names of all files, read once: nothing outside of this list is ever opened."""
    return frozenset(
        str(path.relative_to(BUILT))
        for path in BUILT.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    )


@cache
def _content(path: str) -> tuple[bytes, bytes | None]:
    plain = (BUILT / path).read_bytes()
    squeezed = gzip.compress(plain, mtime=0) if len(plain) >= SQUEEZED_FROM else plain
    return plain, squeezed if len(squeezed) < len(plain) else None


ROUTES = (show_start, show_place)
