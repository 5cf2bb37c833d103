"""`rota logs`: the output and logs of a run's handler; search in the logs of all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options
from rota.cli.safe_text import PICTURES
from rota.model.logs.log import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rota.cli.connect.backends import Place
    from rota.model.logs.log import FoundLine, Level, LogLine

EPILOG = """\b
Examples:
  rota logs 3f0c9d2a71be                 all lines of a run
  rota logs ID -f                        as they come, until the run has ended
  rota logs ID --attempt 2 --level warning
  rota logs --search "connection refused" --job charge --since 1h

A search finds lines that hold all words of the text, whole words in any case and order.
An ID may be shortened to its last (or first) 6 characters or more.
"""
STYLES = {"warning": "yellow", "error": "red", "critical": "bold red", "debug": "dim"}


@click.command("logs", epilog=EPILOG)
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=names_of("runs"))
@click.option("-f", "--follow", is_flag=True, help="Go on with new lines until the run has ended.")
@click.option("--attempt", type=click.IntRange(1), help="Only lines of this attempt.")
@click.option(
    "--level", type=click.Choice(LEVELS), default="debug", help="Only from this level on."
)
@click.option("--search", "text", metavar="TEXT", help="Search in the lines of all runs.")
@click.option(
    "--job",
    metavar="NAME",
    help="Search in runs of this job only.",
    shell_complete=names_of("jobs"),
)
@click.option("--since", metavar="TIME", help="Search so far back, such as 1h.")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Of a search."
)
@desk_options
def command(*, run_id: str | None, text: str | None, as_json: bool, **flags: Any) -> None:
    """Show the log lines of a run, or search in those of all runs."""
    from rota.cli.connect.backends import place

    _check(run_id, text, flags)
    with place(flags) as here:
        lines = _search(here, text, flags) if text is not None else _read(here, run_id or "", flags)
        _print(lines, as_json=as_json, is_search=text is not None)


def _check(run_id: str | None, text: str | None, flags: dict[str, Any]) -> None:
    if (run_id is None) == (text is None):
        raise click.UsageError("give the ID of a run, or --search TEXT")
    if text is None and (flags["job"] or flags["since"]):
        raise click.UsageError("--job and --since are for --search")
    if text is not None and (flags["follow"] or flags["attempt"]):
        raise click.UsageError("--follow and --attempt are for one run")


def _read(here: Place, run_id: str, flags: dict[str, Any]) -> Iterator[LogLine]:
    from rota.cli.connect.backends import run_at

    run = run_at(here, run_id)
    least = LEVELS.index(flags["level"])
    for line in run.follow_logs() if flags["follow"] else run.logs():
        is_meant = flags["attempt"] in (None, line.attempt)
        if is_meant and LEVELS.index(line.level) >= least:
            yield line


def _search(here: Place, text: str, flags: dict[str, Any]) -> list[FoundLine]:
    level: Level = flags["level"]
    return here.search_logs(
        text, job=flags["job"], since=flags["since"], level=level, limit=flags["limit"]
    )


def _print(lines: Iterable[LogLine], *, as_json: bool, is_search: bool) -> None:
    import sys

    from rota.cli.output import print_json

    attempt = 1
    for line in lines:
        if as_json:
            print_json([line])
        else:
            if line.attempt != attempt and not is_search:
                attempt = line.attempt
                print(f"--- attempt {attempt}")
            print(_shown(line))
        sys.stdout.flush()  # somebody follows


def _shown(line: LogLine) -> str:
    from rota.cli.output import styled
    from rota.model.logs.log import FoundLine

    where = f" {line.run_id} {line.job}" if isinstance(line, FoundLine) else ""
    source = line.stream if line.stream != "log" else line.level
    text = line.text.translate(PICTURES)
    return f"{line.at.text()}{where} {source:<7} {styled(text, STYLES.get(line.level, ''))}"
