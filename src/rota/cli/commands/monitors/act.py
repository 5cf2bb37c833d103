"""`rota monitors set`, `pause`, `resume`, `remove`, `rotate` and `ping`."""

from __future__ import annotations

from typing import Any, get_args

import click

from rota.cli.commands.monitors.group import command
from rota.cli.options import desk_options
from rota.model.monitors.monitor import PingKind
from rota.model.schedules.definitions import Dialect

KINDS: tuple[str, ...] = get_args(PingKind)
_FIELDS = ("every", "cron", "dialect", "zone", "grace", "manual_resume", "note")


@command.command("set")
@click.argument("name")
@click.option("--every", metavar="TIME", help="The longest time from one ping to the next: 1d.")
@click.option("--cron", metavar="LINE", help='Instead, the cron line of the job: "0 6 * * *".')
@click.option("--dialect", type=click.Choice(get_args(Dialect)), help="Of the line (vixie).")
@click.option("--zone", metavar="ZONE", help="The zone of the line (UTC).")
@click.option("--grace", metavar="TIME", help="How late a ping may be, or a run take (1h).")
@click.option(
    "--manual-resume/--no-manual-resume",
    default=None,
    help="Whether a pause outlives pings (no).",
)
@click.option("--note", metavar="TEXT", help="Whose job it is, for those who wonder.")
@desk_options
def set_(*, name: str, as_json: bool, **flags: Any) -> None:
    """Create a monitor or change the one of that name; what is not given stays as it is."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import UnknownMonitor

    fields = {each: flags.pop(each) for each in _FIELDS}
    wanted = {key: value for key, value in fields.items() if value is not None}
    with place(flags) as here:
        try:
            old = here.monitors.show(name)
        except UnknownMonitor:
            kept: dict[str, Any] = {}
            if not {"every", "cron"} & wanted.keys():
                raise click.UsageError(
                    f"there is no monitor {name} yet: give --every or --cron"
                ) from None
        else:
            kept = {each: getattr(old, each) for each in _FIELDS}
        new = here.monitors.put(name, **_without_other_rule(kept, wanted) | wanted)
    if as_json:
        print_json([new])
        return
    print(f"monitor {name} is set: {new.description}, {new.grace} of grace")
    print(f"  what the job pings: rota monitors url {name}")


@command.command("pause")
@click.argument("name")
@click.option("--note", metavar="TEXT", help="Why, for those who wonder.")
@desk_options
def pause(*, name: str, note: str | None, as_json: bool, **flags: Any) -> None:
    """Expect nothing from a job until it is resumed, or pings again."""
    _do(flags, "pause", name, as_json=as_json, note=note)


@command.command("resume")
@click.argument("name")
@desk_options
def resume(*, name: str, as_json: bool, **flags: Any) -> None:
    """Wait for the next ping of a job that is paused; from then on it is expected again."""
    _do(flags, "resume", name, as_json=as_json)


@command.command("rotate")
@click.argument("name", required=False)
@click.option("--key", is_flag=True, help="Instead: the ping key that all names share.")
@desk_options
def rotate(*, name: str | None, key: bool, as_json: bool, **flags: Any) -> None:
    """Give a monitor another address; the old one is unknown at once."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    if (name is None) != key:
        raise click.UsageError("give the NAME of a monitor, or --key")
    with place(flags) as here:
        path = here.monitors.rotate_key() if name is None else here.monitors.rotate(name).path
    if as_json:
        print_json([{"path": path}])
    else:
        print(f"pings go to {path}{'NAME' if key else ''} from now on")


@command.command("ping")
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="success", help="What it tells.")
@click.option("--exit-status", type=click.IntRange(0, 255), help="Instead: how the job ended.")
@desk_options
def ping(
    *, name: str, kind: PingKind, exit_status: int | None, as_json: bool, **flags: Any
) -> None:
    """Ping a monitor by hand, as its job would, to see what follows."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        new = here.monitors.ping(name, kind, exit_status=exit_status)
    if as_json:
        print_json([new])
    else:
        print(f"monitor {name} is {new.state}")


@command.command("remove")
@click.argument("name")
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove a monitor with its pings; its address is unknown at once."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import UnknownMonitor

    with place(flags) as here:
        if not here.monitors.remove(name):
            raise UnknownMonitor(name)
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"monitor {name} is removed")


def _without_other_rule(kept: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what stays: a new period drops the cron line with its zone, and the other way."""
    if "every" in wanted:
        return {key: kept[key] for key in kept if key not in ("cron", "dialect", "zone")}
    return {key: kept[key] for key in kept if key != "every" or "cron" not in wanted}


def _do(flags: dict[str, Any], verb: str, name: str, *, as_json: bool, **more: Any) -> None:
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        new = getattr(here.monitors, verb)(name, **more)
    if as_json:
        print_json([new])
    else:
        print(f"monitor {name} is {new.state}")
