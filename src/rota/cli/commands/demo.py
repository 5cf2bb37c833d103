"""`rota demo`: see it work, nothing to prepare."""

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
@click.option("--slots", type=click.IntRange(1, 1000), help="How many runs at once; 8 if not said.")
def command(*, once: bool, url: str | None, slots: int | None) -> int:
    """Run a few real examples and watch them.

    A delayed job, a burst of thousands, one that fails and is tried again, one that runs out of
    retries, a shell command, an async function, one that reports progress.
    """
    from rota.cli.demo.run import run_demo

    return run_demo(url, once=once, slots=slots)
