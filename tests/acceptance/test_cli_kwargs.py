"""A function with `**kwargs` is submitted by its name, without its app."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rota import Client
from tests.acceptance.test_cli_remote import TOKEN, WITH_SERVER, Both
from tests.support.cli import Rota

TAGS = """
from rota import App
app = App()

@app.job
def tag(name: str, *sizes: int, **labels: str) -> str:
    told = " ".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"{name} {sum(sizes)} {told}"
"""


@pytest.fixture
def both(tmp_path: Path, store_url: str) -> Iterator[Both]:
    straight = Rota(tmp_path, ROTA_URL=store_url)
    (tmp_path / "tags.py").write_text(TAGS)
    with straight.serving("up", "tags.py", **WITH_SERVER) as served:
        yield Both(straight, served, tmp_path)


def test_arguments_of_any_name_reach_the_function(both: Both) -> None:
    words = ("tag", "cat", "color=red", "number=00123", "sizes=[2, 3]")
    assert both.alike_submit(*words, "--wait").out == '"cat 5 color=red number=00123"\n'

    wrong = both.alike_submit("tag", "cat", "--json-args", '{"color": 3}')
    assert (wrong.code, "color: Expected `str`, got `int`" in wrong.err) == (2, True)
    assert "**kwargs: str" in both.alike("jobs", "show", "tag").out

    with Client(both.address, token=TOKEN) as client:
        run = client.find_job("tag").submit("dog", color="blue")
        assert run.result(timeout=30) == "dog 0 color=blue"
