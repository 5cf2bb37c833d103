"""The pages for people who cannot sign in or have not yet: no script, one style, only text."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_FOLDER = files("rota.api") / "signin"
_FIELD = (
    '<label for="token">Token</label>\n'
    '<input id="token" type="password" name="token" required autofocus autocomplete="off"'
    ' spellcheck="false" aria-describedby="hint">\n'
    '<p id="hint" class="hint"><code>rota open</code> beside the server signs you in.</p>'
)
_PROVIDER = (
    '<a class="other" href="/login/oidc">{word}</a>\n<p class="or">or with a token</p>'.format
)
WELCOME = "With a token of your namespace."
MOST_CHARACTERS = 200
"""The most characters of a value that a page carries along."""


def page(
    *,
    title: str = "Sign in to Rota",
    about: str = WELCOME,
    alarm: str = "",
    kept: Mapping[str, str] | None = None,
    with_provider: bool = False,
    with_form: bool = True,
) -> str:
    """Return the page. With a ticket among `kept` values, it asks for nothing but a click."""
    kept = kept or {}
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{html.escape(value[:MOST_CHARACTERS])}">\n'
        for name, value in kept.items()
    )
    form = hidden + ("" if "ticket" in kept else _FIELD) + "\n<button>Sign in</button>"
    return _template().format(
        logo=_logo(),
        title=html.escape(title),
        about=html.escape(about),
        alarm=f'<p class="alarm" role="alert">{html.escape(alarm)}</p>' if alarm else "",
        other=_other(with_provider=with_provider, with_form=with_form),
        form=f'<form method="post" action="/login">\n{form}\n</form>' if with_form else "",
    )


def style() -> bytes:
    """Return the style sheet."""
    return (_FOLDER / "page.css").read_bytes()


def _other(*, with_provider: bool, with_form: bool) -> str:
    if not with_provider:
        return ""
    if with_form:
        return _PROVIDER(word="Sign in with your organisation")
    return '<a class="other" href="/login/oidc">Try again</a>'


@cache
def _template() -> str:
    return (_FOLDER / "page.html").read_text(encoding="utf-8")


@cache
def _logo() -> str:
    """Return the logo to embed in the page: files of the web UI require a sign-in."""
    return "data:image/svg+xml;base64," + b64encode((_FOLDER / "rota.svg").read_bytes()).decode()
