"""Both databases live as the model says, through random histories.

ROTA_EXAMPLES=2000 makes a long run of what takes seconds otherwise.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.contract.runs.machine import Life

EXAMPLES = int(os.environ.get("ROTA_EXAMPLES", "0"))


@pytest.mark.slow
@pytest.mark.timeout(600)  # a failure is made small before it is told
def test_sqlite_lives_as_the_model_says(sqlite_template: Path) -> None:
    class SqliteLife(Life):
        template = str(sqlite_template)

    run_state_machine_as_test(
        SqliteLife, settings=settings(max_examples=EXAMPLES or 150, stateful_step_count=40)
    )


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_postgres_lives_as_the_model_says(shared_postgres_url: str) -> None:
    class PostgresLife(Life):
        url = shared_postgres_url

    run_state_machine_as_test(
        PostgresLife, settings=settings(max_examples=EXAMPLES or 40, stateful_step_count=30)
    )
