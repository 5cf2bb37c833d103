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
from chaos.report import Report, Whole
from chaos.sizes import LONG, MODES, SHORT, Sizes

JSON_PATH = Path("build/chaos.json")
WIDTH = 110


@click.command()
@click.option("--short/--long", "is_short", default=False, help="Two minutes, or half an hour.")
@click.option("--seed", type=int, help="Repeat the choices of an earlier run.")
@click.option(
    "--jobs", type=click.IntRange(min=100), help="Runs to submit; faults come in proportion."
)
@click.option("--plain", "mode", flag_value="plain", help="PostgreSQL by itself, nothing else.")
@click.option(
    "--pooler",
    "mode",
    flag_value="pooler",
    help="Put PgBouncer between all processes and PostgreSQL, nothing else.",
)
@click.option(
    "--standby",
    "mode",
    flag_value="standby",
    help="Give PostgreSQL a synchronous standby and fail over again and again, nothing else.",
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
    """Run real processes under faults and check every promise afterwards; exit 1 if one broke.

    The time is shared by the three modes --plain, --pooler and --standby, unless one is chosen.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every process is ended
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    seed = secrets.randbelow(10**9) if seed is None else seed
    parts: dict[str, Report] = {}
    whole = Whole(seed=seed, parts=parts)
    for name, sizes in acts(is_short=is_short, mode=mode, jobs=jobs).items():
        faults = sum(sizes.faults.values())
        console.print(f"seed {seed}, {name}: {sizes.jobs:,} jobs, {faults} faults")
        parts[name] = _played(name, sizes, seed, console, keep=keep)
        whole.write(json_path)  # what is known so far, if somebody ends it
    whole.print(console)
    console.print(f"Written to {json_path}", highlight=False)
    if whole.violations:
        count = len(whole.violations)
        console.print(f"{count} violations; again with: --seed {seed}", style="red")
        sys.exit(1)


def acts(*, is_short: bool, mode: str | None, jobs: int | None = None) -> dict[str, Sizes]:
    """Return the sizes of the modes to play one after the other; they share the work."""
    modes = (mode,) if mode else MODES[:1] if is_short else MODES
    sizes = SHORT if is_short else LONG
    share = round((sizes.jobs if jobs is None else jobs) / len(modes))
    if share != sizes.jobs:
        sizes = sizes.scaled(share)
    return {each: sizes.in_mode(each) for each in modes}


def _played(name: str, sizes: Sizes, seed: int, console: Console, *, keep: bool) -> Report:
    folder = Path(tempfile.mkdtemp(prefix=f"rota-chaos-{name}-"))
    try:
        return play(sizes, seed, folder, lambda line: console.print(line, highlight=False))
    finally:
        if keep:
            console.print(f"logs are in {folder}", highlight=False)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
