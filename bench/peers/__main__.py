"""`python -m bench.peers`: measure Rota and its peers side by side and print one table."""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bench.peers.catalogue import PEERS, Peer
from bench.peers.processes import PeerFailed
from bench.peers.report import WIDTH, Row, print_report, write_json
from bench.peers.rounds import STEPS, play_round
from bench.peers.stores import Stores
from bench.peers.venvs import bin_folder, versions

BUILD = Path("build")


class Run:
    """One comparison: installs the chosen peers, then plays round after round."""

    def __init__(self, rows: Sequence[Row], stores: Stores, progress: Progress) -> None:
        self._rows = rows
        self._stores = stores
        self._progress = progress
        self._bar = progress.add_task("", total=None)
        self._commands: dict[str, Path] = {}

    def install(self) -> None:
        for row in self._rows:
            self._progress.update(self._bar, description=f"install {row.peer.title}")
            with _noting_failure(row):
                self._commands[row.peer.name] = bin_folder(row.peer, BUILD / "venvs")
                row.versions = versions(row.peer, self._commands[row.peer.name])

    def play(self, rounds: int, *, budget_s: float) -> None:
        """Play the rounds; no new peer is begun once the budget is used up."""
        deadline = time.monotonic() + budget_s
        self._progress.update(self._bar, total=rounds * len(self._rows) * STEPS, completed=0)
        for number in range(1, rounds + 1):
            for row in self._rows:
                if row.error is None and time.monotonic() < deadline:
                    self._play_one(row, f"round {number}/{rounds}  {row.peer.title}")
                else:
                    self._progress.advance(self._bar, STEPS)

    def _play_one(self, row: Row, label: str) -> None:
        def tell(step: str) -> None:
            self._progress.update(self._bar, advance=1, description=f"{label}: {step}")

        with _noting_failure(row):
            row.rounds.append(
                play_round(
                    row.peer,
                    commands=self._commands[row.peer.name].resolve(),
                    stores=self._stores,
                    jobs=row.jobs,
                    tell=tell,
                )
            )


@contextlib.contextmanager
def _noting_failure(row: Row) -> Iterator[None]:
    """Note a failure of one peer; it costs its own row, not the run."""
    try:
        yield
    except PeerFailed as failure:
        row.error = str(failure)


def _chosen(only: str | None) -> tuple[Peer, ...]:
    if only is None:
        return PEERS
    names = {name.strip() for name in only.split(",")}
    known = {peer.name for peer in PEERS} | {peer.script for peer in PEERS}
    if unknown := names - known:
        raise click.BadParameter(
            f"no peer {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}",
            param_hint="--only",
        )
    return tuple(peer for peer in PEERS if names & {peer.name, peer.script})


@click.command()
@click.option("--only", metavar="NAMES", help="Measure these peers only, separated by commas.")
@click.option("--jobs", type=click.IntRange(min=100), help="Jobs a burst, instead of each peer's.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option(
    "--budget-s", type=float, default=330.0, show_default=True, help="Begin no peer later."
)
@click.option(
    "--json", "json_path", type=Path, default=BUILD / "bench-peers.json", show_default=True
)
def main(only: str | None, jobs: int | None, rounds: int, budget_s: float, json_path: Path) -> None:
    """Run the same no-op work through Rota and its peers and compare."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every process is ended
    rows = [Row(peer=peer, jobs=jobs or peer.jobs) for peer in _chosen(only)]
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-peers-")))
        stores = Stores(stack, folder)
        progress = stack.enter_context(Progress(*columns, console=console, transient=True))
        run = Run(rows, stores, progress)
        run.install()
        run.play(rounds, budget_s=budget_s)
    print_report(console, rows)
    write_json(json_path, rows)
    console.print(f"Written to {json_path}")
    ours_failed = any(row.error and row.peer.name == row.peer.against for row in rows)
    if ours_failed or not any(row.rounds for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
