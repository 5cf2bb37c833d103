"""The public surface: what the pages tell people to import is there."""

from __future__ import annotations

from typing import Any, get_args

import pytest

import rota
from rota.cli.pages.backfill import print_backfill
from rota.errors import BackfillFailed, RunFailed
from rota.model.schedules.backfill import BackfillView
from rota.model.schedules.definitions import Trigger


@pytest.mark.parametrize("name", rota.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(rota, name) is not None


def test_every_kind_of_trigger_is_public() -> None:
    assert {kind.__name__ for kind in get_args(Trigger)} <= set(rota.__all__)
    assert rota.Cron("0 6 * * *").expression == "0 6 * * *"


def test_a_backfill_with_failures_is_not_called_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    facts: dict[str, Any] = dict.fromkeys(BackfillView.__struct_fields__, 0)
    facts |= {"id": "b1", "schedule": "nightly", "state": "done", "started": 5, "failed": 2}
    view = BackfillView(**facts)

    with pytest.raises(BackfillFailed) as caught:
        print_backfill(view, as_json=False)

    assert isinstance(caught.value, RunFailed)
    assert str(caught.value).startswith("backfill b1 is done: 2 of its 5 runs failed; ")
    assert caught.value.exit_code == 7
    assert "5 started" in capsys.readouterr().out
