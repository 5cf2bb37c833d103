"""`rota demo`: real examples that run without preparation."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  rota demo                    stays until Ctrl-C; look at it from another terminal
  rota demo --once             ends when the examples have run; exit code 1 if one went wrong
  rota demo --url postgresql://rota@localhost/rota

The store is ./rota-demo.db unless --url says otherwise; ROTA_URL and rota.toml are not asked, so
that a demo never ends up in your real store.
"""


@click.command("demo", epilog=EPILOG)
@click.option("--once", is_flag=True, help="End by itself when all examples have ended.")
@click.option("--url", metavar="URL", help="Another store than ./rota-demo.db.")
@click.option(
    "--slots", type=click.IntRange(1, 1000), help="How many runs at once; 16 if not said."
)
@click.option("--port", type=click.IntRange(1, 65535), help="Of the pages; 8470 or a free one.")
@click.option("--server/--no-server", "serve", default=True, help="Whether to serve the pages.")
def command(
    *, once: bool, url: str | None, slots: int | None, port: int | None, serve: bool
) -> int:
    """Run a few real examples and watch them, here and in a browser.

    A delayed job, a burst of thousands, one that fails and is tried again, one that runs out of
    retries, a shell command, an async function, one that reports progress, graphs with a branch
    and a map. A link is printed that signs in to the pages, once.
    """
    from rota.cli.demo.run import run_demo

    return run_demo(url, once=once, slots=slots, serve=serve, port=port)
