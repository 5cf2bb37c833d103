"""`rota import` as a command: files in, a job file and a report out."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from rota.cli.commands.jobs.import_ import command
from rota.cli.pages.import_report import load_beat
from rota.cli.serve.serving import _bare_app
from rota.errors import AppNotFound
from rota.rules.jobs.files.read import read_bundle
from rota.runtime.executors.process.lookup import find_function
from rota.settings.table import Settings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(command, [*words], catch_exceptions=False, standalone_mode=False)


def test_settings_that_all_lines_share_go_under_defaults(here: Path) -> None:
    (here / "tab").write_bytes(b"A=b\n0 1 * * *\tone\nC=d\n0 2 * * *\ttwo\n")
    run("crontab", "tab", "--zone", "Europe/Paris", "-o", "rota.yaml", "--report", "report.txt")

    text = (here / "rota.yaml").read_text()
    assert text.count("Europe/Paris") == text.count("overlap: allow") == text.count("A: b") == 1
    one, two = read_bundle(text.encode(), "rota.yaml").jobs.values()
    assert (one.target.env, two.target.env) == ({"A": "b"}, {"A": "b", "C": "d"})  # type: ignore[union-attr]
    assert (here / "report.txt").read_text().count("not tried again") == 1


def test_a_warning_stands_before_all_and_in_the_json(here: Path) -> None:
    (here / "tab").write_bytes(b"0 1 * * * root run-parts x\n")
    run("crontab", "tab", "--report", "report.txt", "-o", "x.yaml")
    run("crontab", "tab", "--json", "--report", "report.json", "-o", "x.yaml")

    assert (here / "report.txt").read_text().splitlines()[2] == "look at this first:"
    assert "--system" in msgspec.json.decode((here / "report.json").read_bytes())["warnings"][0]


def test_drop_ins_change_a_timer_and_its_service(here: Path) -> None:
    (here / "b.timer").write_text("[Timer]\nOnCalendar=daily\n")
    (here / "b.service").write_text("[Service]\nExecStart=/bin/old\n")
    for folder in ("b.timer.d", "b.service.d"):
        (here / folder).mkdir()
    (here / "b.timer.d/10-late.conf").write_text("[Timer]\nOnCalendar=\nOnCalendar=06:00")
    (here / "b.service.d/10-new.conf").write_text("[Service]\nExecStart=\nExecStart=/bin/new\n")
    run("systemd", "b.timer", "--zone", "UTC", "-o", "rota.yaml", "--report", "report.txt")

    bundle = read_bundle((here / "rota.yaml").read_bytes(), "rota.yaml")
    assert bundle.jobs["b"].target.argv == ("/bin/new",)  # type: ignore[union-attr]
    assert "0 0 6 * * *" in str(bundle.schedules["b"].schedule.trigger)


def test_tasks_that_celery_would_import_later_are_imported(here: Path) -> None:
    (here / "late_tasks.py").write_text("def send(to, text): ...\n")
    (here / "late_app.py").write_text(
        "import importlib, types\n"
        "tasks = {}\n"
        "def load():\n"
        "    tasks['a.b'] = importlib.import_module('late_tasks').send\n"
        "entry = {'task': 'a.b', 'schedule': 60, 'args': ['ann', 'hi']}\n"
        "conf = types.SimpleNamespace(beat_schedule={'it': entry}, timezone='Asia/Tokyo')\n"
        "loader = types.SimpleNamespace(import_default_modules=load)\n"
        "app = types.SimpleNamespace(conf=conf, tasks=tasks, loader=loader)\n"
    )
    run("celery", "late_app:app", "-o", "rota.yaml", "--report", "report.txt")
    run("celery", "late_app:app", "--zone", "UTC", "-o", "utc.yaml", "--report", "report.txt")

    bundle = read_bundle((here / "rota.yaml").read_bytes(), "rota.yaml")
    assert bundle.jobs["it"].target.ref == "late_tasks:send"  # type: ignore[union-attr]
    assert bundle.schedules["it"].schedule.args == {"to": "ann", "text": "hi"}
    assert bundle.schedules["it"].schedule.zone == "Asia/Tokyo"
    assert "timezone: UTC" in (here / "utc.yaml").read_text()


def test_a_module_of_tasks_that_cannot_be_imported_is_told_of(here: Path) -> None:
    def load() -> Any:
        raise ModuleNotFoundError("No module named 'gone'")

    module = SimpleNamespace(
        app=SimpleNamespace(loader=SimpleNamespace(import_default_modules=load))
    )
    sys.modules["broken_app"] = module  # type: ignore[assignment]

    with pytest.raises(AppNotFound, match="tasks of broken_app:app: ModuleNotFoundError"):
        load_beat("broken_app:app")


def test_stored_jobs_find_functions_in_the_folder_of_the_command(here: Path) -> None:
    (here / "stored_here.py").write_text("def greet(): return 'hello'\n")

    _bare_app(Settings(folder=here, url="sqlite:///:memory:"))

    assert find_function("stored_here:greet")() == "hello"
