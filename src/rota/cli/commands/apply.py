"""`rota apply`: make the store hold what job files say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import settings
from rota.cli.plans import plan_options

if TYPE_CHECKING:
    from rota.app import App
    from rota.model.plan import Plan

EPILOG = """\b
Examples:
  rota apply rota.yaml
  rota apply jobs/*.yaml --prune --yes
  rota apply rota.yaml --dry-run            the same as rota plan

Everything happens in one transaction, or nothing does; applying the same again does nothing.
Workers hear of it at once: `rota up` runs the jobs, `rota worker` does with --stored. On a
terminal it asks first, unless --yes or --json is said. The store is created if it is not there.
Exits with 0 when the store is as the files say, 2 when a file is wrong or something belongs to
code or to another file (see --take-over), 130 when the answer was no.
"""


@click.command("apply", epilog=EPILOG)
@plan_options
@click.option("--dry-run", is_flag=True, help="Only show it, as `rota plan` does.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--who", metavar="NAME", help="Who did it, for `rota acts`; you if not said.")
def command(*, files: tuple[str, ...], as_json: bool, dry_run: bool, **flags: Any) -> None:
    """Add, change and remove jobs and schedules so that the store is as the FILEs say."""
    from rota.app.files import apply_files, plan_files
    from rota.cli.output import print_json
    from rota.cli.plans import plan_document, print_plan, wish_of

    wish = wish_of(flags)
    app = _app(flags)
    try:
        if dry_run:
            plan = plan_files(app, files, wish)
        else:
            if not flags["yes"] and not as_json and sys.stdin.isatty():
                _ask(plan_files(app, files, wish), flags)
            plan = apply_files(app, files, wish, who=flags["who"])
    finally:
        app.close()
    if as_json:
        print_json([plan_document(plan, applied=not dry_run)])
    else:
        print_plan(plan, flags)


def _ask(plan: Plan, flags: dict[str, Any]) -> None:
    from rota.cli.plans import print_plan

    if plan.changes:
        print_plan(plan, flags)
        click.confirm("Apply it?", abort=True, err=True)


def _app(flags: dict[str, Any]) -> App:
    """As for commands that look, but the store may be made."""
    from rota.app import App
    from rota.cli.served import refuse_server

    said = settings(flags)
    refuse_server(said)
    if said.app is not None and not said.url:
        from rota.cli.loading import load_app

        return load_app(said)
    return App(said.url, namespace=said.namespace)
