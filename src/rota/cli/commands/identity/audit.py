"""`rota audit`: every change with its actor, origin and order; and proof that none is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import NounGroup, desk_options

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.identity.audit import AuditEntry

EPILOG = """\b
Examples:
  rota audit --who token:ci --limit 5
  rota audit --verb redrive --who ann@desk
  rota audit --subject daily-report --json
  rota audit --text token                 all that was done with tokens
  rota audit verify
  rota audit verify --head 5f0c...        the chain still holds what was noted then
  rota audit verify --anchors anchors     and all that workers noted outside
  rota audit anchor >> anchors            note where it ends now

Each act has its place in a chain of hashes, given within a few seconds. Who can change the
database can make a new chain, but not change what was noted elsewhere: with `anchor` in [audit]
of rota.toml workers do that once a minute.
"""
COLUMNS = ("seq", "when", "who", "from", "verb", "subject", "about")


@click.group("audit", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List all changes of a namespace, and verify that none was altered or removed."""


@command.command("list")
@click.option("--verb", metavar="VERB", help="Only these, such as `cancel run`.")
@click.option("--who", metavar="NAME", help="Only what this one did.")
@click.option("--subject", metavar="TEXT", help="Only about this: a job, a run, a token.")
@click.option("--text", metavar="TEXT", help="Only with this in who, verb, subject or details.")
@click.option("--before", metavar="ID", help="The page after the one that ended with this act.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List changes, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.errors import BadInput
    from rota.ids import is_id

    if flags["before"] and not is_id(flags["before"]):
        raise BadInput(f"--before {flags['before']!r:.64} is not the id of an act")
    filters = {name: flags[name] for name in ("verb", "who", "subject", "text", "before", "limit")}
    with place(flags) as here:
        entries, now = here.audit.list(**filters), now_at(here)
    if as_json:
        print_json(entries)
    else:
        print_table(COLUMNS, [_row(act, now) for act in entries], empty="nobody did anything")


@command.command("verify")
@click.option("--head", metavar="HASH", help="A hash that was noted earlier and must be there.")
@click.option(
    "--anchors", metavar="FILE", help="Lines of a sink, all of which must fit; - reads stdin."
)
@click.option(
    "--key-file", metavar="FILE", help="What anchors are signed with; else as settings say."
)
@desk_options
def verify(
    *, as_json: bool, head: str | None, anchors: str | None, key_file: str | None, **flags: Any
) -> int:
    """Walk along the chain; ends with 1 and names the place if it does not hold."""
    from rota.cli.anchors import read_file
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        noted = read_file(anchors, flags, key_file, here.namespace) if anchors else []
        verdict = here.audit.verify(head, anchors=noted)
    if as_json:
        print_json([verdict])
    elif verdict.is_good:
        also = f"; {verdict.anchors} anchors fit" if anchors else ""
        also += f"; {verdict.says}" if verdict.says else ""
        last = f"the last is {verdict.seq} with the hash {verdict.hash}"
        print(f"good: {verdict.acts} acts, {last}{also}")
    else:
        print(f"NOT good: {verdict.says}; {verdict.acts} acts before it are good")
    return 0 if verdict.is_good else 1


@command.command("anchor")
@click.option("--key-file", metavar="FILE", help="Sign with what is in it; else as settings say.")
@click.option(
    "--keep",
    metavar="TIME",
    help="How long workers keep acts, if not 90d: `Retention(acts_ms=...)` of your code.",
)
@desk_options
def anchor(*, as_json: bool, key_file: str | None, keep: str | None, **flags: Any) -> int:
    """Print the end of the chain as a line for `verify --anchors`, to be kept elsewhere.

    Workers do it by themselves with `anchor` in the section [audit] of rota.toml.
    """
    from rota.cli.anchors import keep_ms_of, kept_until, key_of
    from rota.cli.connect.backends import now_at, place
    from rota.model.identity.audit import Anchor
    from rota.rules.security.anchors import write_anchor

    del as_json  # it is JSON anyway
    key, keep_ms = key_of(flags, key_file), keep_ms_of(keep)
    with place(flags) as here:
        verdict, now = here.audit.verify(), now_at(here)
        namespace = here.namespace
        until = kept_until(here.audit, verdict, keep_ms)
    if not verdict.is_good:
        click.echo(f"NOT good: {verdict.says}; nothing to anchor", err=True)
        return 1
    noted = Anchor(
        namespace=namespace, seq=verdict.seq, hash=verdict.hash, at=now, kept_until=until
    )
    click.echo(write_anchor(noted, key))
    return 0


def _row(act: AuditEntry, now: int) -> Row:
    from rota.cli.times import since

    return (
        "" if act.seq is None else str(act.seq),
        since(act.at, now),
        act.who,
        act.address or "",
        act.verb,
        act.subject if act.name is None else f"{act.name} ({act.subject})",
        _about(act),
    )


def _about(act: AuditEntry) -> str:
    """Return the reason that the actor gave; otherwise the details of the audit entry."""
    facts = act.detail
    letters = f"{facts['letters']} letters" if "letters" in facts else ""
    if facts.get("why"):
        return f"{letters}: {facts['why']}" if letters else str(facts["why"])
    if act.verb == "mark":
        return f"node {facts.get('node')} is {facts.get('as')}"
    if act.verb == "rerun" and facts.get("part"):
        node = f" {facts['node']}" if facts.get("node") else ""
        return f"{facts['part']}{node}, as run {facts.get('as')}"
    return letters or str(facts.get("reason") or "")
