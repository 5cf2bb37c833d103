"""`rota alerts rules`: which alerts go to which channels."""

from __future__ import annotations

from typing import Any, get_args

import click

from rota.cli.commands.alerts.group import command
from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option
from rota.model.alerts.rule import SEVERITIES, AlertKind, Grouping

COLUMNS = ("name", "on", "jobs", "queues", "to", "severity", "open", "state", "note")
KINDS: tuple[str, ...] = get_args(AlertKind)


@command.group("rules", cls=NounGroup)
def rules() -> None:
    """List rules; create, change and remove them."""


@rules.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the alert rules of this namespace."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        found = here.alerts.rules()
    if as_json:
        print_json(found.values())
        return
    rows = [
        (
            each.name,
            ", ".join(each.on),
            ", ".join(each.jobs),
            ", ".join(each.queues),
            ", ".join(f"{name} (missing)" if name in each.missing else name for name in each.to),
            each.severity,
            str(each.open),
            "on" if each.enabled else "off",
            each.note,
        )
        for each in found.values()
    ]
    print_table(COLUMNS, rows, empty="no alert rules: `rota alerts rules set` makes one")


@rules.command("set")
@click.argument("name", shell_complete=names_of("alert rules"))
@click.option("--on", multiple=True, type=click.Choice(KINDS), help="What is reported; repeatable.")
@click.option("--to", multiple=True, metavar="CHANNEL", help="Who is told; repeatable.")
@click.option("--job", "jobs", multiple=True, metavar="PATTERN", help="Only these; `mail.*` fits.")
@click.option("--queue", "queues", multiple=True, metavar="PATTERN", help="Only these queues.")
@click.option("--severity", type=click.Choice(SEVERITIES), help="How urgent it is (error).")
@click.option("--group", type=click.Choice(get_args(Grouping)), help="What is one incident (job).")
@click.option("--after", type=click.IntRange(1), help="Failed runs before anybody is told (1).")
@click.option("--window", metavar="TIME", help="The span in which they are counted (10m).")
@click.option("--repeat", metavar="TIME", help="How often to remind (4h); `never` for never.")
@click.option("--recovery/--no-recovery", default=None, help="Tell when it is over (yes).")
@click.option("--quiet", metavar="FROM-UNTIL", help="Only critical alerts then: 22:00-07:00.")
@click.option("--zone", metavar="ZONE", help="The zone of the quiet hours (UTC).")
@click.option("--at-most", type=click.IntRange(1), help="Messages in ten minutes (10).")
@click.option("--enable/--disable", "enabled", default=None, help="Whether the rule is on.")
@note_option()
@desk_options
def set_(*, name: str, as_json: bool, **flags: Any) -> None:
    """Create a rule or change the one of that name; what is not given stays as it is."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    fields = {each: flags.pop(each) for each in _FIELDS}
    zone, quiet = flags.pop("zone"), flags.pop("quiet")
    wanted = {key: value for key, value in fields.items() if value not in (None, ())}
    if wanted.get("repeat") == "never":
        wanted["repeat"] = None
    with place(flags) as here:
        old = here.alerts.rules().get(name)
        kept = {} if old is None else {each: getattr(old, each) for each in (*_FIELDS, "quiet")}
        if quiet is not None:
            wanted["quiet"] = _quiet(quiet, zone)
        if old is None and not (wanted.get("on") and wanted.get("to")):
            raise click.UsageError(f"there is no rule {name} yet: give --on and --to")
        new = here.alerts.put_rule(name, **kept | wanted)
    if as_json:
        print_json([new])
        return
    print(f"alert rule {name} is set")
    for each in new.missing:
        print(f"  there is no channel {each} yet: `rota alerts channels set {each} URL`")


@rules.command("remove")
@click.argument("name", shell_complete=names_of("alert rules"))
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove a rule; its open incidents are closed, and nobody is told."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import UnknownAlertRule

    with place(flags) as here:
        if not here.alerts.remove_rule(name):
            raise UnknownAlertRule(name)
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"alert rule {name} is removed")


_FIELDS = (
    *("on", "to", "jobs", "queues", "severity", "group", "after", "window", "repeat"),
    *("recovery", "at_most", "enabled", "note"),
)


def _quiet(text: str, zone: str | None) -> dict[str, str] | None:
    """Return the quiet hours of `22:00-07:00`; `never` for none."""
    if text == "never":
        return None
    begin, _, end = text.partition("-")
    return {"begin": begin.strip(), "end": end.strip(), "zone": zone or "UTC"}
