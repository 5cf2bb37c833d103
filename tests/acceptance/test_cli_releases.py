"""`rota releases`, and a deploy as it goes on machines: supervisors start what was killed."""

from __future__ import annotations

import os
import signal

import pytest

from rota import App
from rota.engine.workers.registry import workers
from tests.support.cli import Rota, eventually

OLD = """
from rota import App
app = App(name="shop")

@app.job
def a() -> None: ...
"""
NEW = """
@app.job(schedule="@every 1s")
def b() -> None: ...
"""


@pytest.mark.slow
def test_a_killed_worker_of_old_code_undoes_no_deploy(rota: Rota) -> None:
    for name, code in (("v1", OLD), ("v2", OLD + NEW)):
        (rota.folder / name).mkdir()
        (rota.folder / name / "code.py").write_text(code)
    with (
        App(rota.env["ROTA_URL"]) as app,
        rota.serving("worker", "v1/code.py", "--name", "old") as old,
        rota.serving("worker", "v2/code.py", "--name", "new"),
    ):

        def fired() -> int:
            return app.schedules.show("b").fired

        def of_old() -> list[int]:
            found = app.store.read(lambda tx: workers(tx, namespace="default"))
            return [each.pid for each in found if each.name == "old"]

        eventually(lambda: fired() > 0, "b fires")
        os.kill(of_old()[0], signal.SIGKILL)
        old.wait_for("worker started", times=2)

        assert "the code of shop is release 1, older than release 2" in old.text
        before = fired()
        eventually(lambda: fired() > before, "b fires on")
        listed = rota.good("releases", "--json").documents
        assert [(each["number"], each["holds"]) for each in listed] == [(2, True), (1, False)]
        assert rota.good("releases", "use", "1").out == (
            "what release 1 declared holds again, as release 3\n"
        )
        assert app.schedules.list() == []
        assert [each["name"] for each in rota.good("jobs", "--json").documents] == ["a"]
        done = {(each["verb"], each["subject"]) for each in rota.good("acts", "--json").documents}
        assert done == {("use release", "3"), ("remove job", "b"), ("remove schedule", "b")}


def test_releases_before_the_first_worker_and_one_that_is_not_there(rota: Rota) -> None:
    rota.good("db", "migrate")

    assert "no worker has declared anything yet" in rota.good("releases").err
    said = rota("releases", "use", "7")
    assert (said.code, said.err) == (2, "rota: there is no release 7; `rota releases` lists them\n")
