"""The number of dead letters that `rota dead` asks about, at a server with very many groups."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rota.cli.dead_letter_choice import chosen
from rota.ids import new_id
from tests.api.serving import HOME, Served
from tests.contract.builders import START_MS

MANY = 501


def give_letters(served: Served, fingerprints: list[str]) -> None:
    facts: dict[str, Any] = {"job": "add", "version": 1, "error_type": "E", "message": "broken"}
    letters = [
        {"run_id": new_id(), "fingerprint": each, "reason": None, "died_at": START_MS, **facts}
        for each in fingerprints
    ]
    batch = msgspec.json.encode(letters).decode()
    served.app.store.write(lambda tx: tx.execute("insert_letters", batch=batch, namespace=HOME))


def test_a_group_that_is_not_among_the_largest_is_counted(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, *large = [f"{number:016x}" for number in range(MANY)]
    give_letters(served, [small, *large, *large])
    flags = {"group": small, "who": None, "server": served.address}
    monkeypatch.setenv("ROTA_TOKEN", served.token())

    with chosen((), flags) as (_, ids, count):
        assert (ids, count) == ([], 1)
