"""`rota db grant`, `revoke` and `logins`: logins of the database, and their grants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.connect.store_address import address
from rota.cli.options import json_option, local_options, settings_of

if TYPE_CHECKING:
    from rota.store.access.logins import Login

KINDS = ("server", "worker", "reader")
EPILOG = """\b
Examples:
  rota db grant shop_server --as server
  rota db grant shop_worker --as worker --namespaces shop,mail
  rota db grant grafana --as reader --namespaces '*'
  rota db grant shop_worker --as worker --print       only show the SQL

Run it as the owner of the tables, once for each login; again to change one. Keep the owner for
`rota db migrate`, and give the others to `rota server`, `rota up` and `rota worker` in --url.

\b
  server   all namespaces and the chores; cannot change the schema nor what is in the audit
  worker   claims and ends runs of its namespaces; sees no tokens, no audit, nobody else's rows
  reader   looks at its namespaces: what a viewer of the API sees
"""


@click.command("grant", epilog=EPILOG)
@click.argument("login")
@click.option("--as", "kind", type=click.Choice(KINDS), required=True, help="What it may do.")
@click.option(
    "--namespaces",
    metavar="A,B",
    default="default",
    show_default=True,
    help="Of a worker or a reader; '*' for all.",
)
@click.option("--create", is_flag=True, help="Make the login if there is none, without password.")
@click.option("--print", "only_print", is_flag=True, help="Print the SQL and change nothing.")
@local_options
@json_option
def grant(
    *,
    login: str,
    kind: str,
    namespaces: str,
    create: bool,
    only_print: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Let LOGIN use the database with the rights it needs and no others."""
    from rota.cli.output import print_json
    from rota.store.open import as_owner

    login_wish = _login(login, kind, namespaces)
    url = address(settings_of(flags))
    if only_print:
        script = as_owner(url, lambda tx: _script(tx, login_wish, create=create), dry=True)
        if as_json:
            print_json([{"login": login, "as": kind, "sql": script}])
        else:
            print(script)
        return
    granted = as_owner(url, lambda tx: _grant(tx, login_wish, create=create))
    if as_json:
        print_json([_document(granted)])
    else:
        print(f"{login} may log in as a {kind} for {_shown(granted)}")


@click.command("revoke")
@click.argument("login")
@local_options
@json_option
def revoke(*, login: str, as_json: bool, **flags: Any) -> None:
    """Take from LOGIN what `rota db grant` gave it, at once; the login itself stays."""
    from rota.cli.output import print_json
    from rota.errors import BadOption
    from rota.store.open import as_owner

    def work(tx: Any) -> bool:
        from rota.store.access.logins import revoke as take

        return take(tx, login)

    if not as_owner(address(settings_of(flags)), work):
        raise BadOption(f"nothing was granted to {login}; `rota db logins` lists who has something")
    if as_json:
        print_json([{"login": login, "revoked": True}])
    else:
        print(f"{login} has no rights any more")


@click.command("logins")
@local_options
@json_option
def logins(*, as_json: bool, **flags: Any) -> None:
    """List the logins that were granted something."""
    from rota.cli.output import print_json, print_table
    from rota.store.open import as_owner

    granted = as_owner(address(settings_of(flags)), _list)
    if as_json:
        print_json([_document(each) for each in granted])
    else:
        rows = [
            (each.name, each.kind, _shown(each), "" if each.is_member else "its group was taken")
            for each in granted
        ]
        print_table(("login", "as", "namespaces", ""), rows, empty="none but the owner")


def _login(name: str, kind: str, namespaces: str) -> Any:
    from rota.store.access.logins import Login

    return Login(name, kind, tuple(each.strip() for each in namespaces.split(",") if each.strip()))


def _grant(tx: Any, login: Login, *, create: bool) -> Login:
    from rota.store.access.logins import grant

    return grant(tx, login, create=create)


def _script(tx: Any, login: Login, *, create: bool) -> str:
    from rota.store.access.logins import grant_steps, script_of

    return script_of(grant_steps(tx, login, create=create))


def _list(tx: Any) -> list[Login]:
    from rota.store.access.logins import logins as known

    return known(tx)


def _document(login: Login) -> dict[str, Any]:
    return {
        "login": login.name,
        "as": login.kind,
        "namespaces": list(login.namespaces),
        "is_member": login.is_member,
    }


def _shown(login: Login) -> str:
    return "all namespaces" if login.namespaces == ("*",) else ", ".join(login.namespaces)
