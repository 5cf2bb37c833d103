"""Signals that a handler may not send; tried in a process of its own, as it cannot be undone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from rota.runtime.signal_guard import guard_signals
from tests.unit.workers.test_supervisor import exit_code_of

REFUSED = 7


def tries(send: Callable[[], object]) -> int:
    """Zero if it could be sent; in a group of our own, so that nobody else is hit."""
    os.setpgid(0, 0)
    guard_signals(os.getpid(), os.getppid())
    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    try:
        send()
    except PermissionError as error:
        return REFUSED if "a handler may not send SIG" in str(error) else 1
    return 0


@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda: os.kill(os.getppid(), signal.SIGKILL), REFUSED),
        (lambda: os.kill(0, signal.SIGTERM), REFUSED),
        (lambda: os.kill(-1, signal.SIGTERM), REFUSED),
        (lambda: os.killpg(0, signal.SIGKILL), REFUSED),
        (lambda: os.killpg(os.getpgid(os.getppid()), signal.SIGKILL), REFUSED),
        (lambda: os.kill(os.getppid(), 0), 0),
        (lambda: os.kill(os.getpid(), signal.SIGCONT), 0),
    ],
)
def test_a_signal_that_would_end_the_service_is_refused(
    send: Callable[[], object], code: int
) -> None:
    assert exit_code_of(lambda: tries(send)) == code


def test_a_signal_to_the_own_process_is_refused_where_others_share_it() -> None:
    send = lambda: os.kill(os.getpid(), signal.SIGTERM)  # noqa: E731  # caught where it arrives

    assert exit_code_of(lambda: tries(send)) == REFUSED


def test_children_of_a_handler_may_be_killed() -> None:
    def send() -> None:
        child = os.fork()
        if child == 0:
            signal.pause()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    assert exit_code_of(lambda: tries(send)) == 0
