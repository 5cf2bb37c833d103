"""`make firings`: 100,000 instants and more, schedulers that are killed, a clock that jumps."""

from __future__ import annotations

import secrets
import signal
import sys
import tempfile
from pathlib import Path

import click

from tests.firings.play import FULL, SHORT, play, told
from tests.support.postgres import PostgresServer


@click.command()
@click.option("--short/--long", "is_short", default=False, help="Some thousands of instants only.")
@click.option("--seed", type=int, help="Repeat the choices of an earlier run.")
@click.option("--only", type=click.Choice(["sqlite", "postgres"]))
def main(*, is_short: bool, seed: int | None, only: str | None) -> None:
    """Fire on both stores, and end with 1 if an instant is missing or doubled."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every process is ended
    seed = secrets.randbelow(10**9) if seed is None else seed
    click.echo(f"seed {seed}")
    good = True
    if only != "postgres":
        with tempfile.TemporaryDirectory(prefix="rota-firings-") as folder:
            good &= _play("SQLite", f"sqlite:///{folder}/rota.db", seed, is_short=is_short)
    if only != "sqlite":
        with PostgresServer() as server:
            good &= _play("PostgreSQL", server.create_database(), seed, is_short=is_short)
    sys.exit(0 if good else 1)


def _play(store: str, url: str, seed: int, *, is_short: bool) -> bool:
    click.echo(store)
    with tempfile.TemporaryDirectory(prefix="rota-firings-") as folder:
        report = play(url, SHORT if is_short else FULL, seed, Path(folder), click.echo)
    click.echo(f"  {told(report)}")
    checked = report.checked
    for line in (*checked.strange, *checked.doubled, *checked.missing)[:20]:
        click.echo(f"  {line}")
    return checked.is_good


if __name__ == "__main__":
    main()
