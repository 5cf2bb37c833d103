"""`rota plan`: the changes that job files would make, before they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import settings_of
from rota.cli.pages.plan import plan_options

if TYPE_CHECKING:
    from rota.model.jobs.apply_plan import Plan, Wish
    from rota.settings.table import Settings

EPILOG = """\b
Examples:
  rota plan rota.yaml
  rota plan jobs/*.yaml --prune --horizon 30d
  rota plan rota.yaml --from 2027-03-27 --horizon 2d
  rota plan rota.yaml --check || echo "the store is behind"

It only looks. Runs are compared for the next 7 days, or as --from and --horizon say: those that
the change adds, removes or moves. Exits with 0, or with --check with 1 when there is something to
do; with 2 when a file is wrong, something belongs to code or to another file or would be broken
there.
"""


@click.command("plan", epilog=EPILOG)
@plan_options
@click.option("--check", is_flag=True, help="Exit with 1 when there is something to do.")
def command(*, files: tuple[str, ...], check: bool, as_json: bool, **flags: Any) -> int:
    """Show what applying job FILEs would add, change and remove, and which runs that moves."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.cli.pages.plan import print_plan, wish_of

    wish, settings = wish_of(flags), settings_of(flags)
    if _is_missing(settings):
        plan = _plan_first(files, wish, settings)
    else:
        with place(flags) as here:
            plan = here.files.plan(files, wish)
    if as_json:
        print_json([plan])
    else:
        print_plan(plan, flags)
    return int(check and bool(plan.changes))


def _is_missing(settings: Settings) -> bool:
    """Whether there is no store yet; a plan does not create one."""
    from rota.app.app import DEFAULT_URL
    from rota.store.open import file_of

    if settings.server is not None or (settings.app is not None and not settings.url):
        return False
    path = file_of(settings.url or DEFAULT_URL)
    return path is not None and not path.exists()


def _plan_first(files: tuple[str, ...], wish: Wish, settings: Settings) -> Plan:
    """Plan without a store: everything is new."""
    import time

    from rota.handles.jobs.files import plan_first

    now = round(time.time() * 1000)
    return plan_first(files, wish, now=now, namespace=settings.namespace or "default")
