"""`rota doctor`: the faults of a store, with their remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import json_option, local_options, settings_of

if TYPE_CHECKING:
    from rota.rules.insight.checkup import Finding
    from rota.settings.table import Settings

EPILOG = """\b
Examples:
  rota doctor
  rota doctor --quiet || mail -s "rota is ill" ops@example.com < /dev/null
  rota doctor --json | jq 'select(.status != "ok")'
  rota doctor --security
  rota doctor --deep                  all pages, all indexes: for the night after a bad disk

It only looks. Exits with 0 when there is no problem (there may be warnings), 1 when there is one,
4 when the database cannot be reached. With --security a warning counts, too.
"""
STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command("doctor", epilog=EPILOG)
@local_options
@click.option("--app", metavar="APP", help="Take the address from this app.")
@click.option("--quiet", is_flag=True, help="Show only warnings and problems.")
@click.option("--deep", is_flag=True, help="Read all that is stored, however long it takes.")
@click.option("--security", is_flag=True, help="Look for weak points instead: 1 if there are any.")
@json_option
def command(*, as_json: bool, quiet: bool, deep: bool, security: bool, **flags: Any) -> int:
    """Examine the database, the workers and the runs; say what to do."""
    from rota.cli.connect.store_address import address
    from rota.cli.connect.store_app import refuse_missing_file
    from rota.cli.output import print_json

    settings = settings_of(flags)
    url = address(settings)
    refuse_missing_file(url)
    every_finding = _examine_posture(settings, url) if security else _examine(url, deep=deep)
    findings = [each for each in every_finding if not quiet or each.status != "ok"]
    if as_json:
        print_json([each._asdict() for each in findings])
    else:
        _print(findings)
    bad = ("warning", "problem") if security else ("problem",)
    return int(any(each.status in bad for each in findings))


def _examine_posture(settings: Settings, url: str) -> list[Finding]:
    from rota.cli.posture import examine_posture
    from rota.rules.insight.checkup import schema
    from rota.store.open import connect, pending

    store = connect(url)
    try:
        missing = pending(store)
        return [schema(missing)] if missing else examine_posture(settings, url, store)
    finally:
        store.close()


def _examine(url: str, *, deep: bool) -> list[Finding]:
    import time

    from rota.engine.insight.doctor import examine, examine_settings
    from rota.rules.insight.checkup import schema
    from rota.rules.insight.integrity import integrity
    from rota.store.open import connect, examine_integrity, pending

    store = connect(url)
    try:
        missing = pending(store)
        findings = [schema(missing), *store.read(examine_settings)]
        if (report := examine_integrity(store, deep=deep)) is not None:
            findings.append(integrity(report))
        if not missing:
            facts = store.facts()
            # Read the clock as close as possible to the moment at which the database reads its own.
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
