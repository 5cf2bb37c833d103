"""`rota statistics`: how runs ended and how long they took, in all or of one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.model.insight.statistics import JobStatistics, Overview, TimeBucket

EPILOG = """\b
Examples:
  rota statistics                         the last hour, and what needs a look
  rota statistics --window 7d
  rota statistics resize --window 24h     of one job, by time
"""
COLUMNS = ("ended", "success", "failed", "cancelled", "skipped", "p50", "p95")


@click.command("statistics", epilog=EPILOG)
@click.argument("job", required=False, shell_complete=names_of("jobs"))
@click.option("--window", metavar="TIME", help="From 1m to 30d; 1h, of a job 24h.")
@desk_options
def command(*, job: str | None, window: str | None, as_json: bool, **flags: Any) -> None:
    """Show how runs ended and how long they took: of all jobs, or of one JOB."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        found: Overview | JobStatistics
        if job is None:
            found = here.overview(window=window or "1h")
        else:
            found = here.definitions.statistics(job, window=window or "24h")
    if as_json:
        print_json([found])
        return
    if job is None:
        _print_overview(found)  # type: ignore[arg-type]  # asked for above
        return
    _print_times(found)
    buckets = found.buckets  # type: ignore[union-attr]  # asked for above
    rows = [_row(each) for each in buckets if each.success or each.failed or each.cancelled]
    print()
    print_table(COLUMNS, rows, empty="no run has ended in that time")


def _print_overview(found: Overview) -> None:
    from rota.cli.output import print_facts, print_table
    from rota.cli.times import coarse

    workers = f"{found.workers.alive} alive"
    silent = f", {found.workers.silent} silent" if found.workers.silent else ""
    oldest = "" if found.oldest_wait_ms is None else f", the oldest {coarse(found.oldest_wait_ms)}"
    print_facts(
        [
            ("running", f"{found.running:,} in {found.slots:,} slots"),
            ("waiting", f"{found.queue_depth:,}{'+' if found.queue_depth_is_cut else ''}{oldest}"),
            ("workers", workers + silent),
            ("due within 1 h", f"{found.due_next_hour:,}"),
        ]
    )
    _print_times(found)
    for concern in found.attention:
        print(f"\n{concern.says}\n  {concern.advice}")
    if found.failures:
        print()
        rows = [
            (each.job, str(each.count), each.fingerprint, each.error) for each in found.failures
        ]
        print_table(("job", "failed", "group", "error"), rows, empty="")


def _print_times(found: Overview | JobStatistics) -> None:
    from rota.cli.output import print_facts
    from rota.cli.pages.figures import quantiles, share
    from rota.cli.times import coarse

    print_facts(
        [
            ("window", coarse(found.window_ms)),
            (
                "success",
                share(found.success_rate),
            ),
            ("retries", "" if found.retry_rate is None else f"{found.retry_rate:.2f} a run"),
            ("took", quantiles(found.durations)),
            ("waited", quantiles(found.waits)),
        ]
    )


def _row(bucket: TimeBucket) -> list[str]:
    from rota.cli.times import coarse

    counts = (bucket.success, bucket.failed, bucket.cancelled, bucket.skipped)
    times = (bucket.p50_ms, bucket.p95_ms)
    return [
        bucket.at.text(),
        *(f"{each:,}" if each else "" for each in counts),
        *("" if each is None else coarse(each) for each in times),
    ]
