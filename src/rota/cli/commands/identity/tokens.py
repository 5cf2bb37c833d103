"""`rota tokens`: the credentials for the server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, who_option

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.identity.credentials import NewTokenView, TokenView

EPILOG = """\b
Examples:
  rota tokens create ci --role operator --queue mail --expires 90d
  rota tokens create deploy --role author --role exec
  rota tokens create farm --role worker --queue images
  rota tokens
  rota tokens rotate 9f3c02ab77d1 --overlap 1d
  rota tokens revoke 9f3c02ab77d1

Roles: viewer looks; operator also submits, cancels, reruns and pauses; author also defines jobs and
schedules; admin also gives out tokens. Jobs that run programs need the role exec as well; the role
audit lets a viewer read the audit. worker stands alone: it carries out runs of the queues it names,
for `rota worker --server`.

The secret is printed once, on stdout; the store keeps its digest. A revoked token is refused by
all servers within five seconds, and sessions that were opened with it end.
"""
PAST = 1000
"""The number of newest tokens among which a short id is looked up."""
COLUMNS = ("id", "name", "begins", "roles", "queues", "used", "expires", "state")


@click.group("tokens", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List, create, rotate and revoke the tokens of a namespace."""


@command.command("create")
@click.argument("name")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="May be given several times.")
@click.option(
    "--queue",
    "queues",
    multiple=True,
    metavar="NAME",
    help="Only these; else all.",
    shell_complete=names_of("queues"),
)
@click.option("--expires", metavar="TIME", help="Good for so long, such as 90d; else for ever.")
@who_option
@desk_options
def create(*, name: str, as_json: bool, who: str | None, **flags: Any) -> None:
    """Give out a token called NAME and print its secret, which is shown this once only."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    request: dict[str, Any] = {
        "roles": flags["roles"] or ("viewer",),
        "queues": flags["queues"] or None,
    }
    with place(flags, who=who) as here:
        view, secret = here.tokens.create(name, expires=flags["expires"], **request, **by(who))
    if as_json:
        print_json([with_secret(view, secret)])
        return
    print(secret)
    reach = f" in queues {', '.join(view.queues)}" if view.queues else ""
    only = "" if flags["roles"] else ", which only looks: --role gives it more"
    print(
        f"token {view.name} has the role {' and '.join(view.roles)}{reach}{only}", file=sys.stderr
    )


@command.command("list")
@click.option("--all", "past", is_flag=True, help="Also those that are revoked or have expired.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@desk_options
def list_(*, past: bool, limit: int, as_json: bool, **flags: Any) -> None:
    """List the tokens of a namespace, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views, now = here.tokens.list(past=past, limit=limit), now_at(here)
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [_row(each, now) for each in views], empty="there are no tokens")


@command.command("rotate")
@click.argument("token", shell_complete=names_of("tokens"))
@click.option(
    "--overlap", metavar="TIME", default="1h", show_default=True, help="The old one stays good."
)
@click.option("--expires", metavar="TIME", help="Good for so long; as long as the old, if unsaid.")
@who_option
@desk_options
def rotate(
    *, token: str, overlap: str, expires: str | None, as_json: bool, who: str | None, **flags: Any
) -> None:
    """Give TOKEN a new secret and print it; the old one ends after the overlap.

    Roles, queues and name stay. Put the new secret into place before the overlap is over.
    """
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json
    from rota.operations.identity.new_tokens import pick

    with place(flags, who=who) as here:
        chosen = pick(here.tokens.list(limit=PAST), token)
        view, secret = here.tokens.rotate(chosen.id, overlap=overlap, expires=expires, **by(who))
    if as_json:
        print_json([with_secret(view, secret)])
    else:
        print(secret)


@command.command("revoke")
@click.argument("token", shell_complete=names_of("tokens"))
@who_option
@desk_options
def revoke(*, token: str, as_json: bool, who: str | None, **flags: Any) -> None:
    """Refuse TOKEN from now on: its id, the end of its id, or how its secret begins."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json
    from rota.operations.identity.new_tokens import pick

    with place(flags, who=who) as here:
        chosen = pick(here.tokens.list(past=True, limit=PAST), token)
        view = here.tokens.revoke(chosen.id, **by(who))
    if as_json:
        print_json([view])
    else:
        print(f"token {view.name} ({view.id}) is revoked")


def with_secret(view: TokenView, secret: str | None) -> NewTokenView:
    """Return a new token in the form of the API."""
    from msgspec.structs import asdict

    from rota.model.identity.credentials import NewTokenView

    return NewTokenView(**asdict(view), token=secret)


def _row(token: TokenView, now: int) -> Row:
    from rota.cli.times import since

    is_over = token.expires_at is not None and token.expires_at.ms <= now
    return (
        token.id,
        token.name,
        f"{token.prefix}..." if token.prefix else "",
        ", ".join(token.roles),
        "all" if token.queues is None else ", ".join(token.queues),
        since(token.used_at, now),
        since(token.expires_at, now),
        "revoked" if token.revoked_at else "expired" if is_over else "good",
    )
