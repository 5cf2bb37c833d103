"""A worker's login does what workers do: the same bodies as for the owner of the tables."""

# ruff: noqa: F403
from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import Clock
from tests.contract.test_answers import *
from tests.contract.test_artifacts import *
from tests.contract.test_breakers import *
from tests.contract.test_cancel import *
from tests.contract.test_claim import *
from tests.contract.test_commit import *
from tests.contract.test_dead_letters import *
from tests.contract.test_dependencies import *
from tests.contract.test_effects import *
from tests.contract.test_events import *
from tests.contract.test_finish import *
from tests.contract.test_graph_progress import *
from tests.contract.test_graphs import *
from tests.contract.test_heartbeat import *
from tests.contract.test_jobs import *
from tests.contract.test_keys import *
from tests.contract.test_logs import *
from tests.contract.test_memos import *
from tests.contract.test_schedules import *
from tests.contract.test_submit import *
from tests.contract.test_workers import *
from tests.support.logins import Logins

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(logins: Logins, clock: Clock) -> Iterator[Store]:
    """Logs in as a worker; what a test does past the store it does as an administrator."""
    opened = open_store(logins.worker, clock=clock)
    opened.url = logins.admin
    yield opened
    opened.close()
