"""`rota db`: the schema and the health of the database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.db_logins import grant, logins, revoke
from rota.cli.connect.store_address import address
from rota.cli.options import json_option, local_options, settings_of

if TYPE_CHECKING:
    from rota.rules.insight.checkup import Finding

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
    from rota.notices import subscribe

    subscribe(_tell_wait)


def _tell_wait(notice: str, facts: dict[str, Any]) -> None:
    if notice == "migration.waits":
        print(f"rota: waiting to change the tables: {facts['detail']}", file=sys.stderr)


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

    store = connect(address(settings_of(flags)))
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

    print(schema_script(dialect or dialect_of(address(settings_of(flags)))), end="")


@command.command("check")
@local_options
@_app_option
@click.option("--deep", is_flag=True, help="Read all that is stored, however long it takes.")
@json_option
def check(*, as_json: bool, deep: bool, **flags: Any) -> int:
    """Check the connection, the schema, the settings that keep data safe, and the data.

    Exits with 0 when all is well, 4 when the database cannot be reached, 5 when the schema or a
    setting does not fit, or a page is broken.
    """
    from rota.cli.connect.store_app import refuse_missing_file
    from rota.cli.output import print_json
    from rota.engine.insight.health import durability
    from rota.rules.insight.integrity import integrity
    from rota.store.open import connect, examine_integrity, newer_schema, pending

    url = address(settings_of(flags))
    refuse_missing_file(url)
    store = connect(url)
    try:
        missing, safety = pending(store), store.read(durability)
        newer = newer_schema(store)
        looked = examine_integrity(store, deep=deep)
    finally:
        store.close()
    pages = integrity(looked) if looked else None
    is_whole = pages is None or pages.status != "problem"
    is_good = not missing and is_whole and all(each.is_good for each in safety)
    if as_json:
        facts = {each.name: each.value for each in safety}
        bad = [each.name for each in safety if not each.is_good]
        if pages is not None:
            facts["integrity"] = pages.found
            bad += [] if is_whole else [pages.check]
        print_json(
            [{"url": _shown(url), "is_good": is_good, "missing": missing, "bad": bad} | facts]
        )
    else:
        words = _schema_words(missing, newer)
        _print_check(url, words, [(each.name, each.value, each.is_good) for each in safety])
        if pages is not None:
            _print_pages(pages)
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

    name = set_protection(address(settings_of(flags)), role=role, is_on=not off)
    if as_json:
        print_json([{"is_on": not off, "role": name}])
    elif off:
        print("row-level security is off; servers notice within a minute")
    else:
        print(f"servers work as {name}; those that run take it on within a minute")


def _schema_words(missing: list[str], newer: int | None) -> tuple[str, bool]:
    """Return a sentence about the schema, and whether the schema is good."""
    if missing:
        return f"lacks {', '.join(missing)}; run `rota db migrate`", False
    if newer is not None:
        return f"newer than this Rota (step {newer}), which can work with it", True
    return "up to date", True


def _print_check(url: str, schema: tuple[str, bool], safety: list[tuple[str, str, bool]]) -> None:
    from rota.cli.output import Cell, print_facts

    words, fits = schema
    facts: list[tuple[str, str | Cell]] = [
        ("store", _shown(url)),
        ("schema", Cell(words, "green" if fits else "red")),
    ]
    for name, value, is_good in safety:
        warning = "" if is_good else "  a crash of the machine may lose committed runs"
        facts.append((name, Cell(value + warning, "green" if is_good else "red")))
    print_facts(facts)


def _print_pages(pages: Finding) -> None:
    from rota.cli.output import Cell, print_facts

    colours = {"ok": "green", "warning": "yellow", "problem": "red"}
    advice = f"  {pages.advice}" if pages.advice else ""
    print_facts([(pages.check, Cell(pages.found + advice, colours[pages.status]))])


def _shown(url: str) -> str:
    from rota.cli.serve.serving import shown_url

    return shown_url(url)
