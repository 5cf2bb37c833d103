"""`rota up --reload`: saved code is used at once, what runs is drained, broken code is refused."""

from __future__ import annotations

from pathlib import Path

from tests.support.cli import Rota

DRAINS = "the worker drains and starts again"


def change(rota: Rota, old: str, new: str) -> None:
    shop = rota.folder / "shop.py"
    shop.write_text(shop.read_text().replace(old, new))


def test_new_code_is_used_and_what_runs_ends_with_the_old(rota: Rota) -> None:
    go = Path(rota.folder / "go")
    with rota.serving("up", "shop.py", "--reload") as served:
        running = rota.good("submit", "hold", str(go)).out.strip()
        rota.wait_until_running(running)

        change(rota, 'return "released"', 'return "let go"')
        served.wait_for(DRAINS)
        go.touch()
        served.wait_for("worker started", times=2)

        first = rota.good("runs", "wait", running, "--timeout", "30s").out
        second = rota.good("submit", "hold", str(go), "--wait", "--timeout", "30s").out
        attempts = rota.good("runs", "show", running, "--json").documents[0]["attempt"]

    assert (first, second, attempts) == ('"released"\n', '"let go"\n', 1)


def test_a_new_job_can_be_submitted_after_it_was_saved(rota: Rota) -> None:
    with rota.serving("up", "shop.py", "--reload") as served:
        change(
            rota,
            "def label(",
            "def tag(text: str) -> str:\n    return text\n\n@app.job\ndef label(",
        )
        served.wait_for("worker started", times=2)

        assert rota.good("submit", "tag", "new", "--wait", "--timeout", "30s").out == '"new"\n'


def test_broken_code_is_shown_and_the_old_code_goes_on(rota: Rota) -> None:
    with rota.serving("up", "shop.py", "--reload") as served:
        change(rota, "return a + b", "return a +")
        served.wait_for("the old code goes on")
        broken = rota.good("submit", "add", "2", "b=3", "--wait", "--timeout", "30s").out
        change(rota, "return a +", "return a + b + 100")
        served.wait_for("worker started", times=2)
        mended = rota.good("submit", "add", "2", "b=3", "--wait", "--timeout", "30s").out
        said = served.text

    assert "SyntaxError" in said or "invalid syntax" in said
    assert "Traceback" not in said
    assert (broken, mended) == ("5\n", "105\n")


def test_there_must_be_code_to_watch(rota: Rota) -> None:
    refused = rota("up", "--stored", "--reload")

    assert (refused.code, "--reload" in refused.err) == (2, True)
