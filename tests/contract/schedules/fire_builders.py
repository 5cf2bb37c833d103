"""What tests of firing share: an instant at which all intervals fire, and when to look again."""

from __future__ import annotations

from rota.engine.schedules.fire import next_look
from rota.store.base import Store
from tests.contract.builders import START_MS
from tests.contract.schedules.builders import (
    DAY,
)

ON = START_MS // DAY * DAY
"""An instant at which every round interval fires."""


def wait_of(store: Store) -> int | None:
    found = store.read(next_look)
    return None if found is None else found.wait_ms
