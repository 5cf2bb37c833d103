"""The last release and this tree side by side on one database, as in a rolling deploy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from rota.version import version
from tests.contract.builders import run_sql
from tests.support.calls import eventually
from tests.support.last_release import (
    LastRelease,
    ReleaseMissing,
    install,
    is_ancestor,
    is_there,
    recorded,
)
from tests.support.processes import Program
from tests.support.source import ROOT

SHOP = ROOT / "tests" / "upgrade" / "shop.py"
PATIENCE_S = 60


@pytest.fixture
def last_release(tmp_path: Path) -> LastRelease:
    try:
        return install(tmp_path / "release")
    except ReleaseMissing as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


class Site:
    """A database, and processes of both versions around it."""

    def __init__(self, url: str, folder: Path, old: LastRelease) -> None:
        self.url = url
        self.ledger = folder / "ledger"
        self.ledger.touch()
        self._folder = folder
        self.shop = Path(copy(SHOP, folder / "shop.py"))
        self._env = {"SHOP_URL": url, "SHOP_LEDGER": str(self.ledger)}
        self.old = {**self._env, **old.env}
        self.new = self._env
        self.acknowledged: list[str] = []

    @contextmanager
    def worker(self, env: dict[str, str], name: str) -> Iterator[Program]:
        """One that is served until the end of the block, and drains then."""
        argv = [sys.executable, "-m", "rota", "worker", str(self.shop), "--name", name]
        program = Program(argv, log=self._folder / f"{name}.log", env=env)
        try:
            eventually(lambda: self.workers(name), PATIENCE_S)
            yield program
            program.popen.terminate()
            assert program.popen.wait(PATIENCE_S) == 0, program.log.read_text()
        finally:
            for each in [*program.family()]:
                each.kill()
            program.popen.kill()
            program.popen.wait()

    def workers(self, name: str) -> list[int]:
        """The process ids of the workers of that name that live."""
        rows = run_sql(
            self.url,
            f"select pid from rota.worker where name = '{name}'"
            " and lease_until > extract(epoch from now()) * 1000",
        )
        return [pid for (pid,) in rows]

    def command(self, env: dict[str, str], *argv: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "rota", *argv, "--url", self.url],
            env=os.environ | env,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ended(self, run_ids: list[str]) -> dict[str, str]:
        """How these runs have ended; one that has two ends would be there twice."""
        wanted = ", ".join(f"'{each}'" for each in run_ids)
        rows = run_sql(self.url, f"select id, state from rota.run_history where id in ({wanted})")
        assert len({str(run_id) for run_id, _ in rows}) == len(rows)
        return {str(run_id): state for run_id, state in rows}

    def wait_for(self, run_ids: list[str]) -> None:
        self.acknowledged += run_ids
        eventually(lambda: len(self.ended(run_ids)) == len(run_ids), PATIENCE_S)

    def hands(self, run_ids: list[str]) -> set[str]:
        """The versions of Rota that carried out these runs."""
        wanted = set(run_ids)
        lines = (line.split() for line in self.ledger.read_text().splitlines())
        return {by for run_id, _, by in lines if run_id in wanted}


class Submitter:
    """A program of the shop that submits."""

    def __init__(self, shop: Path, env: dict[str, str]) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, str(shop)],
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, verb: str, **facts: Any) -> Any:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.write(json.dumps({"verb": verb, **facts}) + "\n")
        self._popen.stdin.flush()
        line = self._popen.stdout.readline()
        assert line, f"the program ended at {verb}"
        return json.loads(line)

    def close(self) -> None:
        """It ends when nobody can tell it anything any more; a load that still runs is stopped."""
        self._popen.kill()
        self._popen.communicate()


def submitter(stack: ExitStack, site: Site, env: dict[str, str]) -> Submitter:
    made = Submitter(site.shop, env)
    stack.callback(made.close)
    return made


def test_the_recorded_release_is_behind_this_commit() -> None:
    found, commit = recorded()
    if not is_there(commit) and not os.environ.get("CI"):
        pytest.skip(f"the history of this clone does not reach back to {found}")

    assert is_there(commit), f"{found} is not in this clone; fetch the whole history"
    assert is_ancestor(commit), f"{found} is no part of the history of this commit"


@pytest.mark.postgres
@pytest.mark.slow
def test_both_versions_work_on_one_database_while_it_is_migrated(
    postgres_url: str, last_release: LastRelease, tmp_path: Path
) -> None:
    site = Site(postgres_url, tmp_path, last_release)
    ours, theirs = version(), last_release.version
    site.command(site.old, "db", "migrate")
    with ExitStack() as stack:
        with site.worker(site.old, "old"):
            old = submitter(stack, site, site.old)
            assert old.ask("version") == theirs
            old.ask("load")
            _migrate_under_load(site, old, theirs)
            new = submitter(stack, site, site.new)
            # The old worker, and a new program that submits.
            runs = new.ask("submit", count=20)
            site.wait_for(runs)
            assert site.hands(runs) == {theirs}
            _kill_the_old_worker(site, old)
            with site.worker(site.new, "new"):
                _share_graphs(site, old, new)
                _cancel_across(site, old, new)
                site.acknowledged += old.ask("stop")
        with site.worker(site.new, "new again"):
            # The new worker, and an old program that submits.
            runs = old.ask("submit", count=20)
            site.wait_for(runs)
            assert site.hands(runs) == {ours}
        with site.worker(site.old, "rolled back"):
            # Back to the release: it starts on the newer schema.
            runs = new.ask("submit", count=20) + old.ask("graph", runs=1, count=3)
            site.wait_for(runs)
            assert site.hands(runs) == {theirs}
            eventually(lambda: len(_fired(site)) > 3, PATIENCE_S)
    _check_books(site)


def _migrate_under_load(site: Site, old: Submitter, theirs: str) -> None:
    site.command(site.new, "db", "migrate")
    runs = old.ask("submit", count=20)
    site.wait_for(runs)
    assert site.hands(runs) == {theirs}
    assert "tick" in site.command(site.old, "jobs"), "its commands check the schema, too"


def _kill_the_old_worker(site: Site, old: Submitter) -> None:
    """As by the system: its supervisor starts it again, on a schema that it does not know."""
    (pid,) = site.workers("old")
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: site.workers("old") not in ([], [pid]), PATIENCE_S)
    site.wait_for(old.ask("submit", count=20))


def _share_graphs(site: Site, old: Submitter, new: Submitter) -> None:
    runs = [*old.ask("graph", runs=3, count=6), *new.ask("graph", runs=3, count=6)]
    site.wait_for(runs)
    assert set(site.ended(runs).values()) == {"success"}
    # Twice the sum of 0, 2, 4, 6, 8, 10; each asks about a run of the other.
    assert [new.ask("result", id=runs[0]), old.ask("result", id=runs[-1])] == [60, 60]


def _cancel_across(site: Site, old: Submitter, new: Submitter) -> None:
    runs = [old.ask("later"), new.ask("later")]
    new.ask("cancel", id=runs[0])
    old.ask("cancel", id=runs[1])
    assert site.ended(runs) == dict.fromkeys(runs, "cancelled")


def _fired(site: Site) -> list[tuple[int, int, int]]:
    """Each instant of the schedule, with its firings and their runs."""
    return run_sql(
        site.url,
        "select f.instant, count(*), count(distinct f.run_id) from rota.firing as f"
        " join rota.schedule as s on s.id = f.schedule_id where s.name = 'tick'"
        " and f.run_id is not null group by f.instant order by f.instant",
    )


def _check_books(site: Site) -> None:
    """Nothing that was acknowledged is lost, nothing has ended twice, each instant fired once."""
    ends = site.ended(site.acknowledged)
    assert Counter(ends.values()) == {"success": len(set(site.acknowledged))}
    fired = _fired(site)
    assert len(fired) > 3
    assert {(rows, runs) for _, rows, runs in fired} == {(1, 1)}
    schedules = run_sql(site.url, "select name, state from rota.schedule order by name")
    assert schedules == [("tick", "active")]
