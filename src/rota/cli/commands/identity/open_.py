"""`rota open`: a fresh link that signs a browser in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place

EPILOG = """\b
Examples:
  rota open                               the server of this folder's store
  rota open --server https://rota.example.org
  rota open --url postgresql://rota@db/rota --address https://rota.example.org

The link is good once, for five minutes. At a server the session has the rights of your token and
ends with it. Who has the store itself is signed in as admin; in `rota tokens` that is the token
`links of YOU`, and revoking it ends these sessions.
"""


@click.command("open", epilog=EPILOG)
@click.option("--address", metavar="URL", help="Where browsers reach the server of the store.")
@click.option("--browser/--no-browser", default=None, help="Open it; on a terminal with a screen.")
@desk_options
def command(*, address: str | None, browser: bool | None, as_json: bool, **flags: Any) -> None:
    """Print a link to the web UI that signs a browser in, once; open it where there is a screen."""
    from rota.cli.connect.backends import place
    from rota.cli.demo.pages_server import open_link
    from rota.cli.output import print_json

    with place(flags) as here:
        link = here.tokens.link(address or _address(here))
    if as_json:
        print_json([{"link": link}])
        return
    print(link)
    print("good once, for five minutes", file=sys.stderr)
    if browser or (browser is None and sys.stdout.isatty()):
        open_link(link)


def _address(here: Place) -> str:
    from rota.cli.serve.addresses import noted_address
    from rota.client import Client
    from rota.errors import NotAllowed

    if isinstance(here, Client):
        return here.url
    found = noted_address(here.url)
    if found is None:
        raise NotAllowed(
            "no server of this store was started here by you; start one with `rota up`, or say "
            "where it is with --address"
        )
    return found
