"""`rota templates`: jobs with blanks, to be filled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, who_option

EPILOG = """\b
Examples:
  rota templates
  rota templates show ping
  rota templates set ping ping.yaml       definition, parameters, description
  rota templates make ping job=ping-shop host=shop.example.org
  rota templates remove ping

A template is the definition of a job in which ${name} stands for a parameter.
"""
COLUMNS = ("name", "parameters", "changed", "by", "description")


@click.group("templates", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Show templates of jobs; make, change and fill them."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the templates by name."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.times import since

    with place(flags) as here:
        views, now = here.templates.list(), now_at(here)
    if as_json:
        print_json(views)
        return
    rows = [
        (
            each.name,
            ", ".join(each.parameters.get("properties", {})),
            since(each.changed_at, now),
            each.changed_by,
            each.description,
        )
        for each in views
    ]
    print_table(COLUMNS, rows, empty="no templates")


@command.command("show")
@click.argument("name", shell_complete=names_of("templates"))
@desk_options
def show(*, name: str, as_json: bool, **flags: Any) -> None:
    """Show a template: its parameters and the definition of the job."""
    import json

    from rota.cli.connect.backends import place
    from rota.cli.output import print_facts, print_json

    with place(flags) as here:
        view = here.templates.show(name)
    if as_json:
        print_json([view])
        return
    needed = view.parameters.get("required", [])
    blanks = [
        f"{key}: {blank.get('type', 'any')}{'' if key in needed else ' (may be left out)'}"
        for key, blank in view.parameters.get("properties", {}).items()
    ]
    print_facts(
        [
            ("name", view.name),
            ("for", view.description),
            ("revision", f"{view.revision} ({view.changed_by}, {view.changed_at.text()})"),
            ("parameters", "\n".join(blanks)),
            ("definition", json.dumps(view.definition, indent=2, ensure_ascii=False)),
        ]
    )


@command.command("set")
@click.argument("name", shell_complete=names_of("templates"))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@who_option
@desk_options
def set_(*, name: str, file: Path, who: str | None, as_json: bool, **flags: Any) -> None:
    """Make a template from a YAML or JSON file, or change the one of that name.

    The file has `definition`, and if needed `parameters` and `description`.
    """
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json
    from rota.errors import BadFile
    from rota.handles.jobs.files import read_file
    from rota.rules.jobs.files.yaml12 import read_yaml

    documents = read_yaml(read_file(str(file)), str(file))
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise BadFile(f"{file} is not one object with a definition")
    with place(flags, who=who) as here:
        view = here.templates.put(name, documents[0].value, **by(who))
    if as_json:
        print_json([view])
    else:
        print(f"template {name} is revision {view.revision}")


@command.command("make")
@click.argument("name", shell_complete=names_of("templates"))
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@who_option
@desk_options
def make(
    *, name: str, words: tuple[str, ...], who: str | None, as_json: bool, **flags: Any
) -> None:
    """Define a job: the template with these values in its blanks."""
    from rota.cli.arguments import parse
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    arguments = parse(words, None, hints={})
    if arguments.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    with place(flags, who=who) as here:
        made = here.templates.make(name, arguments.kwargs, **by(who))
    if as_json:
        print_json([made])
    else:
        print(f"job {made.job} is version {made.version}")


@command.command("remove")
@click.argument("name", shell_complete=names_of("templates"))
@who_option
@desk_options
def remove(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Remove a template; jobs that were made from it stay."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    with place(flags, who=who) as here:
        here.templates.remove(name, **by(who))
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"template {name} is removed")
