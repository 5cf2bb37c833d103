"""One server of trials for each worker of the test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sabotage.trial import Trials


@pytest.fixture(scope="session")
def trials() -> Iterator[Trials]:
    with Trials() as trials:
        yield trials
