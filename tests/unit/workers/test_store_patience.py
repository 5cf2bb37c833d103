"""A store that was away is served within 5 s of its return: no rest between two looks is longer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rota.app import App
from rota.cli.serve import startup_wait as patience
from rota.cli.serve.startup_wait import FirstTime, wait_for_store
from rota.errors import StoreRefused, StoreUnavailable
from rota.runtime import service, supervisor
from rota.runtime.supervisor import Rests
from rota.settings.table import Settings
from rota.store.postgres.connections import connector

PROMISED_S = 5.0
START_S = 2.0
"""What is left of it for a process to start and to connect."""


class AwayFor:
    """An app whose store is away when it is looked at, so many times."""

    def __init__(self, looks: int, error: StoreUnavailable) -> None:
        self.looked = 0
        self._looks = looks
        self._error = error

    @property
    def store(self) -> object:
        self.looked += 1
        if self.looked <= self._looks:
            raise self._error
        return object()


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The rests that were taken, without taking them."""
    taken: list[float] = []
    monkeypatch.setattr(patience, "time", SimpleNamespace(sleep=taken.append))
    return taken


def waited_for(app: AwayFor, *, waits: bool | None = None) -> None:
    said: Settings = SimpleNamespace(wait_for_store=waits)  # type: ignore[assignment]
    shown: App = app  # type: ignore[assignment]
    wait_for_store(shown, said, is_first=FirstTime())


def test_rests_do_not_grow_however_long_the_store_is_away_and_it_is_told_once(
    rests: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    app = AwayFor(1000, StoreUnavailable("no route"))

    waited_for(app)

    assert (app.looked, len(rests)) == (1001, 1000)
    assert min(rests) > 0
    assert max(rests) + connector.LONGEST_REST_S <= PROMISED_S - START_S
    assert capsys.readouterr().err.count("no route; waiting until it is there") == 1


@pytest.mark.parametrize(
    ("error", "waits"),
    [(StoreRefused("wrong password"), None), (StoreUnavailable("no route"), False)],
    ids=["refused", "--no-wait"],
)
def test_an_error_that_allows_no_wait_ends_at_the_first_look(
    rests: list[float], error: StoreUnavailable, *, waits: bool | None
) -> None:
    with pytest.raises(type(error)):
        waited_for(AwayFor(1000, error), waits=waits)

    assert rests == []


def test_a_process_that_died_again_and_again_meanwhile_is_back_in_time() -> None:
    deaths = Rests()

    assert max(deaths.after(1.0) for _ in range(100)) <= PROMISED_S - START_S
    assert supervisor.AWAY_S <= PROMISED_S - START_S


def test_the_services_of_a_worker_look_again_in_time() -> None:
    assert service.LONGEST_REST_S + connector.LONGEST_REST_S <= PROMISED_S - START_S
