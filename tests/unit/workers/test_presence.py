"""Who is given up before its lease ends, and who is not; what one machine knows of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rota.rules.presence import GRACE_MS, Absences, Sighting, absences
from rota.store.sqlite.processes import Processes


def seen(name: str, *, silent_ms: int = 0, missing_ms: int | None = None) -> Sighting:
    return Sighting(name, f"of-{name}", silent_ms, missing_ms, is_spared=False)


def overdue(name: str) -> Sighting:
    return seen(name, silent_ms=GRACE_MS, missing_ms=GRACE_MS)


def test_a_worker_is_dead_when_it_was_missing_and_silent_for_the_grace() -> None:
    assert absences([overdue("a"), seen("b")], {"of-a"}) == Absences(("a",), (), ("a",))


@pytest.mark.parametrize(
    "worker",
    [
        seen("a", silent_ms=60_000),
        seen("a", silent_ms=60_000, missing_ms=GRACE_MS - 1),
        seen("a", silent_ms=GRACE_MS - 1, missing_ms=60_000),
        overdue("a")._replace(is_spared=True),
    ],
)
def test_a_worker_that_may_only_have_lost_its_connection_is_not(worker: Sighting) -> None:
    assert absences([worker], {"of-a"}) == Absences(("a",), (), ())


def test_a_worker_that_is_back_is_found() -> None:
    assert absences([overdue("a")], set()) == Absences((), ("a",), ())


@pytest.mark.parametrize(
    ("fleet", "gone", "dead"), [(3, 3, 3), (4, 3, 3), (5, 4, 0), (8, 4, 4), (9, 5, 0)]
)
def test_when_many_and_most_of_a_fleet_are_missing_nobody_is_given_up(
    fleet: int, gone: int, dead: int
) -> None:
    names = [str(number) for number in range(fleet)]
    workers = [overdue(name) if at < gone else seen(name) for at, name in enumerate(names)]

    judged = absences(workers, {f"of-{name}" for name in names[:gone]})

    assert (len(judged.missing), len(judged.dead)) == (gone, dead)


def test_workers_that_go_one_after_the_other_are_given_up_one_after_the_other() -> None:
    """Those that have just gone must not keep those before them, nor the next ones them."""
    gone = [
        seen(str(at), silent_ms=away_ms, missing_ms=away_ms)
        for at, away_ms in enumerate(range(0, 10_000, 1_500))
    ]
    fleet = [*gone, seen("a"), seen("b")]

    judged = absences(fleet, {each.presence for each in gone})

    assert judged.dead == tuple(
        each.worker_id for each in gone if (each.missing_ms or 0) >= GRACE_MS
    )


def test_a_certain_death_is_reported_at_once() -> None:
    fleet = [seen(str(number))._replace(is_spared=True) for number in range(5)]

    judged = absences(fleet, {each.presence for each in fleet}, is_certain=True)

    assert len(judged.dead) == 5


def test_this_process_is_there_and_one_that_has_ended_is_gone() -> None:
    processes = Processes()
    mine = processes.mine()
    assert mine is not None
    where = mine.rsplit("/", 2)[0]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        start = _start_of(child.pid)
        other = f"{where}/{child.pid}/{start}"
        assert processes.gone({mine, other}) == set()
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, but not yet buried

        assert processes.gone({mine, other}) == {other}
    assert processes.gone({mine, other}) == {other}


def test_a_pid_that_means_another_process_now_is_gone() -> None:
    mine = Processes().mine()
    assert mine is not None
    where, pid, start = mine.rsplit("/", 2)

    assert Processes().gone({f"{where}/{pid}/{int(start) - 1}"})


def test_processes_of_another_boot_or_container_are_not_judged() -> None:
    assert Processes().gone({"another-boot/4026531836/1/1"}) == set()


def _start_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
