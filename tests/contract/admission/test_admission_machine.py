"""All holds at once, on both databases: nobody starts too early, and nobody waits for ever.

ROTA_EXAMPLES=2000 makes a long run of what takes seconds otherwise.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.contract.admission.machine import HeldBack

EXAMPLES = int(os.environ.get("ROTA_EXAMPLES", "0"))


@pytest.mark.slow
@pytest.mark.timeout(600)  # a failure is made small before it is told
def test_on_sqlite_all_that_is_not_held_ends() -> None:
    run_state_machine_as_test(
        HeldBack, settings=settings(max_examples=EXAMPLES or 40, stateful_step_count=30)
    )


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_on_postgres_all_that_is_not_held_ends(shared_postgres_url: str) -> None:
    class PostgresHeldBack(HeldBack):
        url = shared_postgres_url

    run_state_machine_as_test(
        PostgresHeldBack, settings=settings(max_examples=EXAMPLES or 12, stateful_step_count=30)
    )
