"""File descriptors that somebody closed who had not opened them."""

from __future__ import annotations

import os

import pytest

from rota.errors import StoreLost
from rota.store.descriptors import are_closed, check_descriptors, set_canary
from tests.unit.test_supervisor import exit_code_of


def test_it_is_noticed_also_when_the_number_belongs_to_another_file() -> None:
    def close_all() -> int:
        set_canary()
        assert not are_closed()
        os.closerange(3, 4096)
        assert are_closed()
        for _ in range(30):  # the lowest numbers are given out again
            os.open(os.devnull, os.O_RDONLY)
        assert are_closed()
        with pytest.raises(StoreLost, match="start the process again"):
            check_descriptors()
        return 7

    assert exit_code_of(close_all) == 7
