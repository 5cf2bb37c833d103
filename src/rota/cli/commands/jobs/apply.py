"""`rota apply`: put the definitions of job files into the store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import settings_of
from rota.cli.pages.plan import plan_options

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place
    from rota.model.jobs.apply_plan import Plan

EPILOG = """\b
Examples:
  rota apply rota.yaml
  rota apply jobs/*.yaml --prune --yes
  rota apply rota.yaml --dry-run            the same as rota plan

Everything happens in one transaction, or nothing does; applying the same again does nothing.
Workers hear of it at once: `rota up` runs the jobs, `rota worker` does with --stored. On a
terminal it asks first, unless --yes or --json is said. A store is created if it is not there.
Exits with 0 when the store is as the files say, 2 when a file is wrong, something belongs to
code or to another file (see --take-over) or would be broken there, 130 when the answer was no.
"""


@click.command("apply", epilog=EPILOG)
@plan_options
@click.option("--dry-run", is_flag=True, help="Only show it, as `rota plan` does.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--who", metavar="NAME", help="Who did it, for `rota audit`; you if not said.")
def command(
    *, files: tuple[str, ...], as_json: bool, dry_run: bool, who: str | None, **flags: Any
) -> None:
    """Add, change and remove jobs and schedules so that the store is as the FILEs say."""
    from rota.cli.connect.backends import by
    from rota.cli.output import print_json
    from rota.cli.pages.plan import print_plan, wish_of

    wish = wish_of(flags)
    with _place(flags, who) as here:
        if dry_run:
            plan = here.files.plan(files, wish)
        else:
            if not flags["yes"] and not as_json and sys.stdin.isatty():
                _ask(here.files.plan(files, wish), flags)
            plan = here.files.apply(files, wish, **by(who))
    if as_json:
        print_json([plan])
    else:
        print_plan(plan, flags)


def _ask(plan: Plan, flags: dict[str, Any]) -> None:
    from rota.cli.pages.plan import print_plan

    if plan.changes:
        print_plan(plan, flags)
        click.confirm("Apply it?", abort=True, err=True)


@contextmanager
def _place(flags: dict[str, Any], who: str | None) -> Iterator[Place]:
    """Open the place as for commands that read, except that a missing store is created."""
    from rota.app import App
    from rota.cli.connect.backends import place

    settings = settings_of(flags)
    if settings.server is not None:
        with place(flags, who=who) as here:
            yield here
        return
    if settings.app is not None and not settings.url:
        from rota.cli.loading import load_app

        app = load_app(settings)
    else:
        app = App(settings.url, namespace=settings.namespace)
    try:
        yield app
    finally:
        app.close()
