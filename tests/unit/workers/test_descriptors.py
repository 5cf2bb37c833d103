"""File descriptors that somebody closed who had not opened them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

import pytest

from rota.errors import StoreLost
from rota.store.descriptors import (
    STANDARD,
    are_closed,
    are_standard_closed,
    check_descriptors,
    set_canary,
)
from tests.unit.workers.test_supervisor import exit_code_of


def test_a_reused_descriptor_number_is_noticed() -> None:
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


def close_it(number: int) -> None:
    os.close(number)


def give_it_to_a_socket(number: int) -> None:
    one, _other = socket.socketpair()
    os.dup2(one.detach(), number)


@pytest.mark.parametrize("number", STANDARD)
@pytest.mark.parametrize("harm", [close_it, give_it_to_a_socket])
def test_a_standard_one_that_is_free_or_a_socket_is_noticed(
    number: int, harm: Callable[[int], None]
) -> None:
    def do_it() -> int:
        for each in STANDARD:
            os.dup2(os.open(os.devnull, os.O_RDWR), each)
        set_canary()
        assert not are_standard_closed()
        harm(number)
        assert are_standard_closed()
        check_descriptors()
        with pytest.raises(StoreLost, match="start the process again"):
            check_descriptors(deep=True)
        return 7

    assert exit_code_of(do_it) == 7


def test_output_that_is_led_into_a_pipe_is_fine() -> None:
    def lead() -> int:
        set_canary()
        _reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        return 1 if are_standard_closed() else 7

    assert exit_code_of(lead) == 7
