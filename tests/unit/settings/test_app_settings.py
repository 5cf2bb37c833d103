"""An app without an address reads the same settings as the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from rota import App, BadInput


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROTA_URL", raising=False)
    monkeypatch.delenv("ROTA_NAMESPACE", raising=False)
    return tmp_path


def test_an_app_uses_the_store_that_rota_toml_names(elsewhere: Path) -> None:
    (elsewhere / "rota.toml").write_text('[rota]\nurl = "sqlite:///jobs.db"\nnamespace = "shop"\n')

    app = App()

    assert app.url == f"sqlite:///{elsewhere}/jobs.db"
    assert app.namespace == "shop"


def test_a_variable_beats_the_file_and_code_beats_both(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "rota.toml").write_text('[rota]\nurl = "sqlite:///jobs.db"\n')
    monkeypatch.setenv("ROTA_URL", "sqlite:///variable.db")

    assert App().url == "sqlite:///variable.db"
    assert App("sqlite:///code.db").url == "sqlite:///code.db"


def test_nothing_said_means_a_file_here() -> None:
    assert App().url == "sqlite:///rota.db"
    assert App().namespace == "default"


def test_a_broken_rota_toml_says_where_and_what(elsewhere: Path) -> None:
    (elsewhere / "rota.toml").write_text("[rota]\nulr = 1\n")

    with pytest.raises(BadInput, match=r"rota.toml.*'ulr'.*'url'"):
        App()
