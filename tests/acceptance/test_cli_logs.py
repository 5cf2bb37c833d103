"""`rota logs` as a person meets it: read, follow, search, on both databases."""

from __future__ import annotations

import pytest

from tests.support.cli import Rota

TALK = """
import logging, os, time
from rota import App
app = App()

@app.job(retries=1, retry_delay="1ms")
def talk(name: str, fail: bool = False) -> str:
    print("hello", name)
    logging.getLogger("talk").error("no luck with \\x1b[2J %s", name)
    if fail:
        raise ValueError(name)
    return name

@app.job
def hold(path: str) -> None:
    print("waiting", flush=True)
    while not os.path.exists(path):
        time.sleep(0.01)
    print("released")
"""


@pytest.fixture
def talker(rota: Rota) -> Rota:
    (rota.folder / "talk.py").write_text(TALK)
    return rota


def followed(rota: Rota, run_id: str) -> list[str]:
    """The lines without their times, once the run has ended."""
    return [line.partition(" ")[2] for line in rota.good("logs", run_id, "-f").out.splitlines()]


def test_the_lines_of_a_run_are_shown_with_their_attempts(talker: Rota) -> None:
    with talker.serving("up", "talk.py") as served:
        run_id = talker.good("submit", "talk", "name=ann", "fail=true").out.strip()
        shown = followed(talker, run_id)
        second = talker.good("logs", run_id[-12:], "--attempt", "2", "--level", "error", "--json")

    assert shown == [
        "stdout  hello ann",
        "error   talk: no luck with \u241b[2J ann",
        "attempt 2",
        "stdout  hello ann",
        "error   talk: no luck with \u241b[2J ann",
    ]
    (document,) = second.documents
    assert (document["attempt"], document["level"], document["stream"]) == (2, "error", "log")
    assert document["text"] == "talk: no luck with \x1b[2J ann"
    assert document["at"].endswith("Z")
    assert served.text.count("no luck") == 2


def test_lines_are_followed_while_the_run_goes_on(talker: Rota) -> None:
    with talker.serving("up", "talk.py"):
        run_id = talker.good("submit", "hold", "go").out.strip()
        with talker.started("logs", run_id, "--follow") as tail:
            tail.wait_for("waiting")
            (talker.folder / "go").touch()
            tail.wait_for("released")
            assert tail.wait() == 0


def test_lines_of_all_runs_are_searched(talker: Rota) -> None:
    with talker.serving("up", "talk.py"):
        ids = [talker.good("submit", "talk", f"name={name}").out.strip() for name in ("ann", "bob")]
        for run_id in ids:
            followed(talker, run_id)
        found = talker.good("logs", "--search", "BOB hello", "--job", "talk", "--since", "1h")
        none = talker.good("logs", "--search", "hello", "--job", "other", "--json")
        errors = talker.good("logs", "--search", "luck", "--level", "error", "--limit", "1")

    (line,) = found.out.splitlines()
    assert f" {ids[1]} talk stdout  hello bob" in line
    assert none.out == ""
    assert len(errors.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give the ID of a run, or --search"),
        (("ID", "--search", "x"), "give the ID of a run, or --search"),
        (("ID", "--since", "1h"), "are for --search"),
        (("--search", "x", "-f"), "are for one run"),
        (("--search", "--"), "no word to search for"),
        (("--search", "x", "--since", "soon"), "soon"),
        (("short",), "too short"),
        (("0198b0e3-0000-7000-8000-000000000000",), "no run has the id"),
        (("0198b0e3-0000-7000-8000-000000000000", "-f"), "no run has the id"),
    ],
)
def test_nonsense_is_refused_in_words(rota: Rota, words: tuple[str, ...], says: str) -> None:
    rota.good("db", "migrate")

    said = rota("logs", *words)

    assert said.code == 2
    assert says in said.err


@pytest.mark.parametrize(
    ("words", "env", "echoes"),
    [
        (["up", "talk.py", "--echo"], {}, True),
        (["worker", "talk.py"], {"ROTA_ECHO": "yes"}, True),
        (["up", "talk.py"], {}, False),
        (["up", "talk.py", "--no-echo"], {"ROTA_ECHO": "yes"}, False),
    ],
)
def test_printed_lines_are_shown_on_the_console_if_wanted(
    talker: Rota, words: list[str], env: dict[str, str], *, echoes: bool
) -> None:
    """Without a word: on a terminal, which this is not."""
    with talker.serving(*words, **env) as served:
        run_id = talker.good("submit", "talk", "name=\x1b[2Jann").out.strip()
        shown = followed(talker, run_id)
        if echoes:
            served.wait_for("hello")

    (line,) = [line for line in served.lines if "hello" in line] or [""]
    assert shown[0] == "stdout  hello \u241b[2Jann"
    if echoes:
        assert f"hello \u241b[2Jann  job=talk run={run_id[-12:]} stream=stdout" in line
    assert bool(line) == echoes
    assert served.text.count("no luck") == 1
