"""`rota bench`: a quick measurement of how fast this store is from this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import json_option, local_options, settings_of

if TYPE_CHECKING:
    from rota.cli.benchmark import Figures

EPILOG = """\b
Examples:
  rota bench
  rota bench --url postgresql://rota@db/rota --runs 50000 --slots 16

Submits no-op runs in a namespace of its own, has a worker in this process carry them out, and
removes them afterwards. Other work on the store goes on, and both feel it. Without a store it
measures a temporary SQLite file. `make bench` in the source measures much more.
"""


@click.command("bench", epilog=EPILOG)
@click.option("--runs", type=click.IntRange(100, 1_000_000), default=10_000, show_default=True)
@click.option("--slots", metavar="N", help="Slots of the worker; 8 if not said.")
@local_options
@json_option
def command(*, runs: int, as_json: bool, **flags: Any) -> None:
    """Measure submit, throughput and latency on the configured store."""
    import tempfile
    from pathlib import Path

    from rota.app.app import DEFAULT_URL
    from rota.cli.benchmark import measure
    from rota.cli.connect.server_client import refuse_server
    from rota.store.open import file_of

    settings = settings_of(flags)
    refuse_server(settings)
    url = settings.url or DEFAULT_URL
    path = file_of(url)
    if settings.url is None and path is not None and not path.exists():
        with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
            url = f"sqlite:///{Path(folder) / 'bench.db'}"
            figures = measure(url, runs=runs, slots=settings.slots)
    else:
        figures = measure(url, runs=runs, slots=settings.slots)
    _print(url, figures, as_json=as_json)


def _print(url: str, figures: Figures, *, as_json: bool) -> None:
    from rota.cli.output import print_json, print_table
    from rota.cli.serve.serving import shown_url

    if as_json:
        print_json([{"url": shown_url(url), **figures._asdict()}])
        return
    print(f"{shown_url(url)}, {figures.runs:,} runs, {figures.slots} slots")
    rows = [
        ("bulk submit", f"{figures.bulk_submit_per_s:,.0f} /s"),
        ("drain", f"{figures.drain_per_s:,.0f} /s"),
        ("end to end", f"{figures.end_to_end_per_s:,.0f} /s"),
        ("submit to start, idle, p50", f"{figures.latency_p50_ms:.2f} ms"),
        ("submit to start, idle, p99", f"{figures.latency_p99_ms:.2f} ms"),
    ]
    print_table(("measure", "value"), rows, empty="")
