"""`rota prune`: delete now what is past its retention."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import json_option, local_options, namespace_option, settings_of, who_option

if TYPE_CHECKING:
    from rota.app import App
    from rota.engine.prune import Retention

EPILOG = """\b
Examples:
  rota prune --dry-run                    what the workers would delete by now
  rota prune --success 1d --failure 7d

Runs go with their attempts, logs, dead letters and nodes, in all namespaces, for good. Workers do
the same every five minutes with their retention: 7 days for successes, 30 for failures unless code
sets another one. Audit entries keep theirs.
"""
BATCH = 1_000
COUNTED = 1_000_000


@click.command("prune", epilog=EPILOG)
@click.option("--success", metavar="TIME", default="7d", show_default=True, help="Keep these.")
@click.option("--failure", metavar="TIME", default="30d", show_default=True, help="Keep these.")
@click.option("--dry-run", is_flag=True, help="Only count the runs.")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
@who_option
@local_options
@namespace_option
@json_option
def command(
    *,
    success: str,
    failure: str,
    dry_run: bool,
    yes: bool,
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Delete runs that ended longer ago than this, in all namespaces, with all of their data."""
    from rota.cli.connect.store_app import client
    from rota.cli.output import print_json
    from rota.engine.prune import Retention, count_old
    from rota.rules.text.duration import parse_duration

    keep = Retention(success_ms=parse_duration(success), failure_ms=parse_duration(failure))
    app = client(settings_of(flags))
    try:
        count = app.store.read(lambda tx: count_old(tx, keep, limit=COUNTED))
        if not dry_run:
            _ask(count, is_sure=yes)
            _prune(app, keep, who)
    finally:
        app.close()
    if as_json:
        print_json([{"runs": count, "dryRun": dry_run}])
    else:
        print(f"{'this would delete' if dry_run else 'deleted'} {_runs(count)}")


def _runs(count: int) -> str:
    return f"{count:,}{' or more' if count == COUNTED else ''} run{'' if count == 1 else 's'}"


def _ask(count: int, *, is_sure: bool) -> None:
    if is_sure or not count:
        return
    what = f"delete {_runs(count)} for good"
    if not sys.stdin.isatty():
        raise click.UsageError(f"this would {what}; say --yes if that is meant")
    click.confirm(f"{what.capitalize()}?", abort=True, err=True)


def _prune(app: App, keep: Retention, who: str | None) -> None:
    """Delete in batches, so that workers never wait for long; the audit has it beforehand."""
    from rota.engine.identity.audit_log import Actor, record
    from rota.engine.prune import prune
    from rota.handles.actor import whoami
    from rota.ids import new_id

    by = Actor(act_id=new_id(), who=who or whoami())
    detail = {"success_ms": keep.success_ms, "failure_ms": keep.failure_ms}
    app.store.write(
        lambda tx: record(
            tx, by, namespace=app.namespace, verb="prune", subject="old runs", detail=detail
        )
    )
    app.store.rotate(keep_good_ms=keep.success_ms, keep_bad_ms=keep.failure_ms)
    while app.store.write(lambda tx: prune(tx, keep, limit=BATCH)) >= BATCH:
        pass
