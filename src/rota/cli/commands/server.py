"""`rota server`: the REST API on its own."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.options import database_options, server_options, settings_of

EPILOG = """\b
Examples:
  rota server                                      http://127.0.0.1:8470, for this machine
  rota server --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem --server-names rota.example.org
  rota server --host 0.0.0.0 --behind-proxy --server-names rota.example.org

It keeps nothing to itself: start as many as you like on the same store, behind a load balancer.
The first one prints a link that signs in once and a token; only the digest of the token is kept.
ROTA_ADMIN_TOKEN brings a token of your own instead. TERM lets requests under way end.
"""


@click.command("server", epilog=EPILOG)
@database_options
@server_options
@click.option("--admin-token", metavar="TOKEN", help="Bring a token; better as ROTA_ADMIN_TOKEN.")
@click.option(
    "--wait/--no-wait",
    "wait_for_store",
    default=None,
    help="Wait for a database that is away at the start; on if not said.",
)
@click.option("--log-format", metavar="text|json", help="How log lines on stderr look.")
def command(**flags: Any) -> int:
    """Serve the REST API for a store, which is created or brought up to date."""
    from rota.cli.serve.server import serve_alone

    return serve_alone(settings_of(flags), as_json=flags["as_json"])
