"""`rota namespaces`: who shares the store without seeing each other, and how much each may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import Noun, json_option, url_option, who_option

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.identity import Namespace
    from rota.store.base import Tx

EPILOG = """\b
Examples:
  rota namespaces
  rota namespaces create team-a --queued 100000 --running 50 --rate 200 --payload 64KB
  rota namespaces set team-a --queued 200000
  rota namespaces remove team-a
  rota tokens create ci --role operator --namespace team-a

Who asks a server is in the namespace of its token, and in no other. Quotas hold for what comes
through servers, which answer 429 beyond them; --rate counts at each server, and --running holds
for all workers together.
"""
COLUMNS = ("name", "queued", "running", "rate", "payload", "note")


@click.group("namespaces", cls=Noun, epilog=EPILOG)
def command() -> None:
    """List, create and change namespaces and their quotas."""


def _quota_options(command: Any) -> Any:
    for option in (
        click.option("--note", help="Whose it is, for people."),
        click.option("--payload", metavar="SIZE", help="Most bytes of one run's arguments: 64KB."),
        click.option("--rate", type=float, metavar="N", help="Most submits a second."),
        click.option("--running", type=int, metavar="N", help="Most runs at once."),
        click.option("--queued", type=int, metavar="N", help="Most runs that wait."),
    ):
        command = option(command)
    return who_option(url_option(json_option(command)))


@command.command("list")
@url_option
@json_option
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the namespaces on record with their quotas."""
    from rota.cli.clients import opened
    from rota.cli.output import print_table
    from rota.engine.namespaces import namespaces

    with opened({"url": flags["url"]}) as app:
        found = app.store.read(namespaces)
    if as_json:
        _print_json(found)
    else:
        print_table(COLUMNS, [_row(each) for each in found], empty="only `default`, without quotas")


@command.command("create")
@click.argument("name")
@_quota_options
def create(*, name: str, as_json: bool, **flags: Any) -> None:
    """Make the namespace NAME; what is left out has no limit."""
    _put(name, flags, as_json=as_json, is_new=True)


@command.command("set")
@click.argument("name")
@_quota_options
def set_(*, name: str, as_json: bool, **flags: Any) -> None:
    """Change quotas of the namespace NAME; 0 takes a limit away."""
    _put(name, flags, as_json=as_json, is_new=False)


@command.command("remove")
@click.argument("name")
@who_option
@url_option
@json_option
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Take the namespace NAME off the record, if nothing is left in it."""
    from rota.cli.clients import opened
    from rota.cli.output import print_json
    from rota.engine.namespaces import remove_namespace

    with opened({"url": flags["url"]}) as app:
        app.store.write(lambda tx: remove_namespace(tx, name, by=_by(flags)))
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"namespace {name} is removed")


def _put(name: str, flags: dict[str, Any], *, as_json: bool, is_new: bool) -> None:
    from rota.cli.clients import opened
    from rota.engine.namespaces import find_namespace, namespaces, put_namespace
    from rota.errors import NotAllowed
    from rota.rules.names import check_name

    check_name("namespace", name)
    by = _by(flags)

    def put(tx: Tx) -> Namespace:
        if is_new and any(each.name == name for each in namespaces(tx)):
            raise NotAllowed(f"there is a namespace {name}; change it with `rota namespaces set`")
        old = None if is_new else find_namespace(tx, name)
        note = flags["note"] if flags["note"] is not None else old.note if old else ""
        return put_namespace(tx, name, _quotas(flags, old), by=by, note=note)

    with opened({"url": flags["url"]}) as app:
        made = app.store.write(put)
    if as_json:
        _print_json([made])
    else:
        print(f"namespace {name} is {'made' if is_new else 'changed'}")


def _quotas(flags: dict[str, Any], old: Namespace | None) -> Any:
    from rota.errors import BadOption
    from rota.model.identity import Quotas
    from rota.rules.size import parse_size

    said = {key: flags[key] for key in ("queued", "running", "rate") if flags[key] is not None}
    if flags["payload"] is not None:
        said["payload"] = 0 if flags["payload"] == "0" else parse_size(flags["payload"])
    for key, value in said.items():
        if value < 0:
            raise BadOption(f"--{key} {value} is less than nothing; 0 means no limit")
    kept = (
        {} if old is None else {key: getattr(old.quotas, key) for key in Quotas.__struct_fields__}
    )
    return Quotas(**(kept | {key: value or None for key, value in said.items()}))


def _by(flags: dict[str, Any]) -> Any:
    from rota.app.who import whoami
    from rota.engine.acts import By
    from rota.ids import new_id

    return By(act_id=new_id(), who=flags["who"] or whoami())


def _print_json(found: list[Namespace]) -> None:
    from msgspec import to_builtins

    from rota.cli.documents import iso
    from rota.cli.output import print_json

    print_json({**to_builtins(each), "created_at": iso(each.created_at)} for each in found)


def _row(each: Namespace) -> Row:
    quotas = each.quotas
    limits = (quotas.queued, quotas.running, quotas.rate, quotas.payload)
    return (each.name, *("" if limit is None else f"{limit:g}" for limit in limits), each.note)
