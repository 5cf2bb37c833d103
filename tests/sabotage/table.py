"""All sabotages, and the tests they count on."""

from __future__ import annotations

from tests.sabotage.bugs.claiming import CLAIMING
from tests.sabotage.bugs.clocks import CLOCKS
from tests.sabotage.bugs.commits import COMMITS
from tests.sabotage.bugs.finishing import FINISHING
from tests.sabotage.bugs.firing import FIRING
from tests.sabotage.bugs.graphs import GRAPHS
from tests.sabotage.bugs.keys import KEYS
from tests.sabotage.bugs.leases import LEASES

SABOTAGES = (*FINISHING, *CLAIMING, *LEASES, *KEYS, *COMMITS, *CLOCKS, *FIRING, *GRAPHS)


def named_tests() -> list[str]:
    """Every test that some sabotage counts on, once."""
    return sorted({test for sabotage in SABOTAGES for test in sabotage.caught_by})
