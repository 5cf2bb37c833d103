"""Which token goes to which server, as flags, variables and rota.toml say together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rota.errors import BadOption
from rota.settings.read import read_settings
from rota.settings.secret_files import anchor_options, is_open_to_all, read_secret
from rota.settings.table import Settings

A, B = "https://a.example.org", "https://b.example.org"
FILE = f"""
[rota]
server = "{A}"
token = "of-a"
in_clear = true
[profiles.b]
server = "{B}"
[profiles.filed]
server = "{B}"
token_file = "token"
[profiles.near]
url = "sqlite:///near.db"
"""


@pytest.fixture
def read(tmp_path: Path) -> Any:
    (tmp_path / "rota.toml").write_text(FILE)

    def read(env: dict[str, str] | None = None, **flags: Any) -> Settings:
        return read_settings(flags, env=env or {}, folder=tmp_path)

    return read


def test_a_token_goes_with_the_server_that_is_named_beside_it(read: Any) -> None:
    assert (read().server, read().token, read().in_clear) == (A, "of-a", True)


@pytest.mark.parametrize(
    ("env", "flags"),
    [
        ({}, {"server": B}),
        ({}, {"profile": "b"}),
        ({"ROTA_SERVER": B}, {}),
        ({"ROTA_SERVER": A, "ROTA_TOKEN": "of-a-too"}, {"server": B}),
        ({"ROTA_SERVER": A, "ROTA_TOKEN": "of-a-too"}, {"profile": "b"}),
    ],
)
def test_and_to_no_other(read: Any, env: dict[str, str], flags: dict[str, Any]) -> None:
    said = read(env, **flags)

    assert (said.server, said.token, said.token_file, said.in_clear) == (B, None, None, False)


def test_a_token_without_a_server_beside_it_is_for_the_one_that_counts(read: Any) -> None:
    assert read({"ROTA_TOKEN": "mine"}, server=B).token == "mine"
    assert read({"ROTA_TOKEN": "mine"}, profile="b").token == "mine"
    assert read({"ROTA_SERVER": A, "ROTA_TOKEN": "old"}, server=A).token == "old"


def test_the_later_of_token_and_token_file_counts(read: Any, tmp_path: Path) -> None:
    said = read({"ROTA_TOKEN": "mine"}, profile="filed")
    assert (said.token, said.token_file) == (None, str(tmp_path / "token"))
    said = read({"ROTA_PROFILE": "filed", "ROTA_TOKEN": "mine"})
    assert (said.token, said.token_file) == ("mine", None)


def test_a_store_that_is_named_later_needs_no_server(read: Any) -> None:
    assert read({"ROTA_SERVER": B}, profile="near").server is None
    assert read(url="sqlite:///here.db").server is None


def test_secrets_in_files(tmp_path: Path) -> None:
    path = tmp_path / "token"
    for content, says in ((None, "cannot read"), (b"\n", "is empty"), (b"\xff\xfe", "cannot read")):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(BadOption, match=says):
            read_secret("token_file", str(path))
    path.write_text(" secret \n")
    path.chmod(0o600)
    assert (read_secret("token_file", str(path)), is_open_to_all(str(path))) == ("secret", False)
    path.chmod(0o644)
    assert is_open_to_all(str(path))


def test_anchor_settings_name_the_place_and_the_key(tmp_path: Path) -> None:
    def read(text: str) -> dict[str, Any]:
        (tmp_path / "rota.toml").write_text(f"[audit]\n{text}")
        return anchor_options(read_settings({}, env={}, folder=tmp_path))

    (tmp_path / "key").write_text("a key that nobody guesses\n")
    assert read("") == {}
    assert read('anchor = "syslog:"') == {"anchor": "syslog:"}
    whole = read('anchor = "syslog:"\nanchor_every = "5m"\nanchor_key_file = "key"')
    assert whole == {
        "anchor": "syslog:",
        "anchor_every_ms": 300_000,
        "anchor_key": "a key that nobody guesses",
    }
    with pytest.raises(BadOption, match="5 characters"):
        read('anchor = "syslog:"\nanchor_key = "short"')
    for pause in ('"1ms"', "true", "[]"):
        with pytest.raises(BadOption, match="anchor_every"):
            read(f'anchor = "syslog:"\nanchor_every = {pause}')
