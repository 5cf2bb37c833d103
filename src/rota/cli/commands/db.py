"""`rota db`: the schema and the health of the database."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.addresses import address
from rota.cli.commands.db_logins import grant, logins, revoke
from rota.cli.options import json_option, local_options, settings

EPILOG = """\b
Examples:
  rota db migrate --url postgresql://rota@db/rota
  rota db sql --dialect postgres > schema.sql     for those who apply it themselves
  rota db check
  rota db protect                                 row-level security below the server
  rota db grant shop_worker --as worker           a login that is not the owner of the tables

`rota up` and `rota worker` migrate by themselves; other commands only check.
"""
NOT_FIT = 5


@click.group("db", epilog=EPILOG)
def command() -> None:
    """Migrate, print, check or protect the database; say who may log in to it."""


for each in (grant, revoke, logins):
    command.add_command(each)


def _app_option(body: Any) -> Any:
    return click.option("--app", metavar="APP", help="Take the address from this app.")(body)


@command.command("migrate")
@local_options
@_app_option
@json_option
def migrate(*, as_json: bool, **flags: Any) -> None:
    """Create the schema or bring it up to date; safe while workers run."""
    from rota.cli.output import print_json
    from rota.store.open import connect, upgrade_schema

    store = connect(address(settings(flags)))
    try:
        applied = upgrade_schema(store)
    finally:
        store.close()
    if as_json:
        print_json([{"applied": applied}])
    else:
        print("\n".join(f"applied {name}" for name in applied) or "the schema is up to date")


@command.command("sql")
@local_options
@_app_option
@click.option(
    "--dialect", type=click.Choice(("sqlite", "postgres")), help="Else that of the store."
)
def sql(*, dialect: str | None, **flags: Any) -> None:
    """Print the whole schema as SQL."""
    from rota.store.open import dialect_of, schema_script

    print(schema_script(dialect or dialect_of(address(settings(flags)))), end="")


@command.command("check")
@local_options
@_app_option
@json_option
def check(*, as_json: bool, **flags: Any) -> int:
    """Check the connection, the schema and the settings that keep data safe.

    Exits with 0 when all is well, 4 when the database cannot be reached, 5 when the schema or a
    setting does not fit.
    """
    from rota.cli.clients import refuse_missing_file
    from rota.cli.output import print_json
    from rota.engine.health import durability
    from rota.store.open import connect, pending

    url = address(settings(flags))
    refuse_missing_file(url)
    store = connect(url)
    try:
        missing, safety = pending(store), store.read(durability)
    finally:
        store.close()
    is_good = not missing and all(each.is_good for each in safety)
    if as_json:
        facts = {each.name: each.value for each in safety}
        bad = [each.name for each in safety if not each.is_good]
        print_json(
            [{"url": _shown(url), "is_good": is_good, "missing": missing, "bad": bad} | facts]
        )
    else:
        _print_check(url, missing, [(each.name, each.value, each.is_good) for each in safety])
    return 0 if is_good else NOT_FIT


@command.command("protect")
@local_options
@_app_option
@click.option("--role", metavar="NAME", help="Else the present one, or rota_server_DATABASE.")
@click.option("--off", is_flag=True, help="Take the policies away again.")
@json_option
def protect(*, as_json: bool, role: str | None, off: bool, **flags: Any) -> None:
    """Let PostgreSQL itself keep servers to the namespace of who asks.

    Servers take on a role of few rights for each request; its policies hide the rows of other
    namespaces even from a statement that forgets to ask for its own. `rota db migrate` does this by
    itself where the login may create roles; else this says what an administrator has to do.
    """
    from rota.cli.output import print_json
    from rota.store.open import set_protection

    name = set_protection(address(settings(flags)), role=role, is_on=not off)
    if as_json:
        print_json([{"is_on": not off, "role": name}])
    elif off:
        print("row-level security is off; servers notice within a minute")
    else:
        print(f"servers work as {name}; those that run take it on within a minute")


def _print_check(url: str, missing: list[str], safety: list[tuple[str, str, bool]]) -> None:
    from rota.cli.output import Cell, print_facts

    schema = f"lacks {', '.join(missing)}; run `rota db migrate`" if missing else "up to date"
    facts: list[tuple[str, str | Cell]] = [
        ("store", _shown(url)),
        ("schema", Cell(schema, "red" if missing else "green")),
    ]
    for name, value, is_good in safety:
        warning = "" if is_good else "  a crash of the machine may lose committed runs"
        facts.append((name, Cell(value + warning, "green" if is_good else "red")))
    print_facts(facts)


def _shown(url: str) -> str:
    from rota.cli.serving import shown_url

    return shown_url(url)
