"""`python -m chaos`: break everything on purpose, then prove that nothing was lost or doubled."""

from __future__ import annotations

import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console

from chaos.play import play
from chaos.sizes import LONG, SHORT

JSON_PATH = Path("build/chaos.json")
WIDTH = 110


@click.command()
@click.option("--short/--long", "is_short", default=False, help="Two minutes, or half an hour.")
@click.option("--seed", type=int, help="Repeat the choices of an earlier run.")
@click.option(
    "--jobs", type=click.IntRange(min=100), help="Runs to submit; faults come in proportion."
)
@click.option(
    "--pooler",
    "mode",
    flag_value="pooler",
    help="Put PgBouncer between all processes and PostgreSQL.",
)
@click.option(
    "--standby",
    "mode",
    flag_value="standby",
    help="Give PostgreSQL a synchronous standby, and fail over again and again.",
)
@click.option("--json", "json_path", type=Path, default=JSON_PATH, show_default=True)
@click.option("--keep", is_flag=True, help="Keep the logs of all processes.")
def main(
    *,
    is_short: bool,
    seed: int | None,
    jobs: int | None,
    mode: str | None,
    json_path: Path,
    keep: bool,
) -> None:
    """Run real processes under faults and check every promise afterwards; exit 1 if one broke."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every process is ended
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    seed = secrets.randbelow(10**9) if seed is None else seed
    sizes = SHORT if is_short else LONG
    if jobs is not None:
        sizes = sizes.scaled(jobs)
    if mode == "pooler":
        sizes = sizes.behind_pooler()
    elif mode == "standby":
        sizes = sizes.with_standby()
    console.print(f"seed {seed}: {sizes.jobs:,} jobs, {sum(sizes.faults.values())} faults")
    folder = Path(tempfile.mkdtemp(prefix="rota-chaos-"))
    try:
        report = play(sizes, seed, folder, lambda line: console.print(line, highlight=False))
    finally:
        if keep:
            console.print(f"logs are in {folder}", highlight=False)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    report.write(json_path)
    report.print(console)
    console.print(f"Written to {json_path}", highlight=False)
    if report.violations:
        count = len(report.violations)
        console.print(f"{count} violations; again with: --seed {seed}", style="red")
        sys.exit(1)


if __name__ == "__main__":
    main()
