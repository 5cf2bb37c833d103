"""`make oracle`: random cron lines around every shift of every zone, beside the oracle.

The number of cases comes from `--cases` or ROTA_ORACLE_CASES; another `--seed` makes others.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import click

from tests.support.cron_cases import complaint
from tests.support.cron_oracle import shifts, zone_names

CASES = 200_000
CHUNK = 500
SHOWN = 20


@click.command()
@click.option("--cases", type=click.IntRange(min=1), default=CASES, envvar="ROTA_ORACLE_CASES")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--processes", type=click.IntRange(min=1), default=min(os.cpu_count() or 1, 4))
def main(cases: int, seed: int, processes: int) -> None:
    """Compare, and end with 1 if anything differs."""
    click.echo(_reach(cases))
    differing = 0
    with ProcessPoolExecutor(processes) as pool:
        found = pool.map(partial(complaint, seed=seed), range(cases), chunksize=CHUNK)
        for done, said in enumerate(found, 1):
            if said:
                differing += 1
                if differing <= SHOWN:
                    click.echo(said)
            if done % (20 * CHUNK) == 0:
                click.echo(f"{done:,} of {cases:,} cases, {differing:,} differ")
    click.echo(f"{cases:,} cases, {differing:,} differ")
    sys.exit(1 if differing else 0)


def _reach(cases: int) -> str:
    """Each round takes another shift of every zone; so many rounds meet so many of them."""
    rounds = cases / len(zone_names())
    known = {name: len(shifts(name)) for name in zone_names()}
    met = sum(min(count, int(rounds)) for count in known.values())
    return f"{len(known)} zones, {met:,} of their {sum(known.values()):,} shifts since 1970"


if __name__ == "__main__":
    main()
