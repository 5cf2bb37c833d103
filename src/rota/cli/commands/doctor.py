"""`rota doctor`: what is wrong with a store, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import json_option, local_options, settings

if TYPE_CHECKING:
    from rota.rules.checkup import Finding

EPILOG = """\b
Examples:
  rota doctor
  rota doctor --quiet || mail -s "rota is ill" ops@example.com < /dev/null
  rota doctor --json | jq 'select(.status != "ok")'

It only looks. Exits with 0 when there is no problem (there may be warnings), 1 when there is one,
4 when the database cannot be reached.
"""
STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command("doctor", epilog=EPILOG)
@local_options
@click.option("--app", metavar="APP", help="Take the address from this app.")
@click.option("--quiet", is_flag=True, help="Show only warnings and problems.")
@json_option
def command(*, as_json: bool, quiet: bool, **flags: Any) -> int:
    """Examine the database, the workers and the runs; say what to do."""
    from rota.cli.addresses import address
    from rota.cli.clients import refuse_missing_file
    from rota.cli.output import print_json

    url = address(settings(flags))
    refuse_missing_file(url)
    findings = [each for each in _examine(url) if not quiet or each.status != "ok"]
    if as_json:
        print_json([each._asdict() for each in findings])
    else:
        _print(findings)
    return int(any(each.status == "problem" for each in findings))


def _examine(url: str) -> list[Finding]:
    import time

    from rota.engine.doctor import examine, examine_settings
    from rota.rules.checkup import schema
    from rota.store.open import connect, pending

    store = connect(url)
    try:
        missing = pending(store)
        findings = [schema(missing), *store.read(examine_settings)]
        if not missing:
            facts = store.facts()
            # The clock as near as possible to the moment at which the database tells its own.
            findings += store.read(
                lambda tx: examine(tx, host_ms=round(time.time() * 1000), facts=facts)
            )
    finally:
        store.close()
    return findings


def _print(findings: list[Finding]) -> None:
    from rota.cli.output import styled

    width = max((len(each.check) for each in findings), default=0)
    for each in findings:
        mark = styled(f"{each.status:<7}", STYLES[each.status])
        print(f"{mark}  {each.check:<{width}}  {each.found}")
        if each.advice:
            print(f"{'':7}  {'':{width}}  -> {each.advice}")
