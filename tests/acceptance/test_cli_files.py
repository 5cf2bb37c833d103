"""`rota plan`, `apply`, `import` and `schema`, and a `rota up` that runs what was applied."""

from __future__ import annotations

import json
import os
import signal

import pytest

from rota import App
from rota.engine.runs.lists import runs
from rota.model.states import State
from tests.support.cli import Rota, eventually

FILE = """\
jobs:
  hello:
    command: echo hello {who}
    arguments: {who: world}
    schedule: {every: 1s}
  nightly:
    command: [echo, night]
    schedule: 0 3 * * *
    timezone: Europe/Paris
"""
CRONTAB = "0 3 * * * /usr/bin/backup\n@reboot agent\n"


def write(rota: Rota, name: str, text: str) -> None:
    (rota.folder / name).write_text(text)


def test_up_runs_the_jobs_that_apply_recorded(rota: Rota) -> None:
    write(rota, "rota.yaml", FILE)
    rota.good("db", "migrate")

    planned = rota.good("plan", "rota.yaml")
    applied = rota.good("apply", "rota.yaml", "--json").documents[0]
    again = rota.good("apply", "rota.yaml")

    assert "+ job hello" in planned.out
    assert "+ nightly" in planned.out
    assert applied["applied"] is True
    assert len(applied["changes"]) == 4
    assert again.out == "nothing to do, 4 as they should be\n"
    with rota.serving("up", "--stored") as served, App(rota.env["ROTA_URL"]) as app:
        eventually(
            lambda: any(
                each.job == "hello" and each.state is State.SUCCESS
                for each in app.store.read(lambda tx: runs(tx, namespace="default"))
            ),
            "a run of the applied job succeeded",
        )
        os.kill(served.process.pid, signal.SIGTERM)
        assert served.wait() == 0
    assert "stored  jobs of the store are run, too" in served.text


def test_a_running_up_takes_up_what_is_applied(rota: Rota) -> None:
    with rota.serving("up", "shop.py") as served:
        write(rota, "rota.yaml", "jobs: {late: {command: 'echo {it}', queue: fresh}}")
        rota.good("apply", "rota.yaml")
        result = rota.good("submit", "late", "it=x", "--wait", "--timeout", "30s")
        os.kill(served.process.pid, signal.SIGTERM)
        assert served.wait() == 0

    assert json.loads(result.out)["stdout"] == "x\n"


def test_a_plan_tells_which_runs_move(local: Rota) -> None:
    write(local, "rota.yaml", FILE)
    local.good("apply", "rota.yaml")
    write(local, "rota.yaml", FILE.replace("0 3 *", "30 4 *"))

    noon = "2027-01-15T12:00Z"
    told = local.good("plan", "rota.yaml", "--from", noon, "--horizon", "3d")
    checked = local("plan", "rota.yaml", "--check")
    document = local.good("plan", "rota.yaml", "--from", noon, "--json").documents[0]

    assert 'trigger.expression: "0 3 * * *" -> "30 4 * * *"' in told.out
    assert f"runs in 3d from {noon}: 0 added, 0 removed, 3 moved" in told.out
    assert checked.code == 1
    assert {each["verb"] for each in document["runs"]} == {"move"}
    assert document["applied"] is False
    assert local.good("apply", "rota.yaml", "--dry-run").out == local.good("plan", "rota.yaml").out
    assert len(local.good("jobs", "--json").documents) == 2


def test_a_plan_needs_no_store_and_makes_none(local: Rota) -> None:
    write(local, "rota.yaml", FILE)

    assert "4 changes" in local.good("plan", "rota.yaml").out
    assert not (local.folder / "rota.db").exists()


def test_prune_removes_jobs_that_left_the_file(local: Rota) -> None:
    write(local, "rota.yaml", FILE)
    local.good("apply", "rota.yaml")
    write(local, "rota.yaml", "jobs: {nightly: {command: [echo, night]}}")

    kept = local.good("apply", "rota.yaml")
    pruned = local.good("apply", "rota.yaml", "--prune")

    assert "schedule hello is not in the files any more; --prune removes it" in kept.out
    assert "- job hello" in pruned.out
    assert [job["name"] for job in local.good("jobs", "--json").documents] == ["nightly"]
    assert {act["verb"] for act in local.good("acts", "--json").documents} == {"apply"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("jobs:\n  a:\n    comand: x\n", "bad.yaml:3:5: jobs.a.comand"),
        ("jobs: [\n", "bad.yaml:2:1: not YAML"),
        ("jobs: {a: {command: x, schedule: 61 * * * *}}\n", "jobs.a.schedule"),
    ],
)
@pytest.mark.parametrize("verb", ["plan", "apply"])
def test_a_wrong_file_changes_nothing(local: Rota, verb: str, text: str, says: str) -> None:
    write(local, "good.yaml", FILE)
    write(local, "bad.yaml", text)

    said = local(verb, "good.yaml", "bad.yaml")

    assert said.code == 2
    assert says in said.err
    assert local("plan", "nothing.yaml").code == 2
    assert local("plan", "good.yaml", "--horizon", "soon").code == 2


def test_jobs_of_code_are_not_taken_over_by_chance(local: Rota) -> None:
    with local.serving("up", "shop.py") as served:
        os.kill(served.process.pid, signal.SIGTERM)
        assert served.wait() == 0
    write(local, "rota.yaml", "jobs: {add: {command: echo}}")

    refused = local("apply", "rota.yaml")
    taken = local.good("apply", "rota.yaml", "--take-over")

    assert refused.code == 2
    assert "job 'add' belongs to Python code" in refused.err
    assert 'origin: "code" -> "file:rota.yaml"' in taken.out


def test_a_crontab_is_imported_and_applied(local: Rota) -> None:
    write(local, "tab", CRONTAB)

    said = local("import", "crontab", "tab", "--zone", "Europe/Paris", "-o", "rota.yaml")
    piped = local("import", "crontab", "-", "--zone", "UTC", stdin=CRONTAB)
    strict = local("import", "crontab", "tab", "--strict", "--report", "report.txt")

    assert said.code == 0
    assert "1 imported, 1 left out" in said.err
    assert "chosen: catchup: none, grace: 5m" in said.err
    assert "tab:2" in said.err
    assert "timezone: UTC" in piped.out
    assert strict.code == 1
    assert strict.err == ""
    assert "@reboot has no time" in (local.folder / "report.txt").read_text()
    assert "+ schedule backup" in local.good("plan", "rota.yaml").out


def test_other_schedulers_are_imported(local: Rota) -> None:
    write(
        local,
        "job.yaml",
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: k}\nspec:\n  schedule: '@daily'\n"
        "  jobTemplate: {spec: {template: {spec: {containers: [{command: [date]}]}}}}\n",
    )
    write(
        local,
        "conf.py",
        "from datetime import timedelta\n"
        "beat = {'c': {'task': 'shop.add', 'schedule': timedelta(hours=1), 'kwargs': {'a': 1}}}\n",
    )
    write(local, "beat.json", '{"j": {"task": "shop.add", "schedule": 60}}')
    write(local, "s.timer", "[Timer]\nOnCalendar=Mon..Fri 06:00\n")
    write(local, "s.service", "[Service]\nExecStart=/bin/true\n")

    for words, name in (
        (("cronjob", "job.yaml"), "k"),
        (("celery", "conf:beat"), "c"),
        (("celery", "beat.json"), "j"),
        (("systemd", "s.timer"), "s"),
    ):
        said = local.good("import", *words, "--json")
        assert [entry["name"] for entry in json.loads(said.err)["entries"]] == [name]
        write(local, f"{name}.yaml", said.out)
    assert "8 changes" in local.good("plan", "k.yaml", "c.yaml", "j.yaml", "s.yaml").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("crontab", "nothing"), "cannot read nothing"),
        (("crontab", "shop.py", "--zone", "Mars"), "no time zone is named 'Mars'"),
        (("cronjob", "shop.py"), "shop.py"),
        (("celery", "shop"), "names no object"),
        (("celery", "shop:nothing"), "holds no 'nothing'"),
        (("celery", "shop:SHOP"), "holds no"),
        (("celery", "shop:os"), "neither a Celery app"),
        (("systemd", "shop.py"), "shop.py"),
        (("crontab", "shop.py", "-o", "no/such/folder"), "cannot write"),
    ],
)
def test_a_bad_import_is_refused_with_a_reason(
    local: Rota, words: tuple[str, ...], says: str
) -> None:
    said = local("import", *words)

    assert said.code == 2
    assert says in said.err
    assert "Traceback" not in said.err


def test_the_schema_is_printed(local: Rota) -> None:
    assert json.loads(local.good("schema").out)["title"] == "Rota job file"
