"""`rota plan`: what job files would change, before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import settings
from rota.cli.plans import plan_options

if TYPE_CHECKING:
    from rota.app.settings import Settings
    from rota.model.plan import Plan, Wish

EPILOG = """\b
Examples:
  rota plan rota.yaml
  rota plan jobs/*.yaml --prune --horizon 30d
  rota plan rota.yaml --from 2027-03-27 --horizon 2d
  rota plan rota.yaml --check || echo "the store is behind"

It only looks. Runs are compared for the next 7 days, or as --from and --horizon say: those that
the change adds, removes or moves. Exits with 0, or with --check with 1 when there is something to
do; with 2 when a file is wrong or something belongs to code or to another file.
"""


@click.command("plan", epilog=EPILOG)
@plan_options
@click.option("--check", is_flag=True, help="Exit with 1 when there is something to do.")
def command(*, files: tuple[str, ...], check: bool, as_json: bool, **flags: Any) -> int:
    """Show what applying job FILEs would add, change and remove, and which runs that moves."""
    from rota.cli.output import print_json
    from rota.cli.plans import plan_document, print_plan, wish_of

    plan = _plan(files, wish_of(flags), settings(flags))
    if as_json:
        print_json([plan_document(plan, applied=False)])
    else:
        print_plan(plan, flags)
    return int(check and bool(plan.changes))


def _plan(files: tuple[str, ...], wish: Wish, said: Settings) -> Plan:
    """Without a store yet, everything is new; looking does not create one."""
    import time

    from rota.app.app import DEFAULT_URL
    from rota.app.files import plan_files, plan_first
    from rota.cli.clients import client
    from rota.cli.served import refuse_server
    from rota.store.open import file_of

    refuse_server(said)
    path = file_of(said.url or DEFAULT_URL)
    if path is not None and not path.exists() and (said.url or said.app is None):
        now = round(time.time() * 1000)
        return plan_first(files, wish, now=now, namespace=said.namespace or "default")
    app = client(said)
    try:
        return plan_files(app, files, wish)
    finally:
        app.close()
