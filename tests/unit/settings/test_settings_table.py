"""The table of settings: a row is all that flags, readers and options need."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from rota.api.identity.oidc_options import OidcOptions
from rota.api.server.options import ServerOptions
from rota.client import Client
from rota.engine.prune import Retention
from rota.model.workers.sandbox import Egress, Programs
from rota.runtime.options import WorkerOptions
from rota.settings import readers
from rota.settings.file import SECTIONS
from rota.settings.read import read_settings
from rota.settings.setting import Setting
from rota.settings.table import SETTINGS, Settings

OPTIONS = {
    "worker": WorkerOptions.__struct_fields__,
    "retention": Retention.__struct_fields__,
    "egress": Egress.__struct_fields__,
    "programs": Programs.__struct_fields__,
    "server": ServerOptions.__struct_fields__,
    "oidc": OidcOptions.__struct_fields__,
    "client": tuple(inspect.signature(Client).parameters),
}
PLACES = [(name, place) for name, setting in SETTINGS.items() for place in setting.to]


@pytest.mark.parametrize(("name", "place"), PLACES, ids=str)
def test_every_target_of_a_setting_has_an_option_of_that_name(name: str, place: str) -> None:
    owner, _, option = place.partition(".")

    assert option in OPTIONS[owner]


def test_a_flag_is_spelled_as_its_setting() -> None:
    own_words = {"wait_for_store": "--wait/--no-wait"}
    flags = {name: setting.flag for name, setting in SETTINGS.items() if setting.flag}

    for name, flag in flags.items():
        assert flag.words.startswith(own_words.get(name, f"--{name.replace('_', '-')}"))


def test_no_two_settings_share_a_key_of_the_file() -> None:
    assert sum(len(section) for section in SECTIONS.values()) == len(SETTINGS)


def test_a_row_is_all_that_a_new_setting_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class More(Settings):
        """The settings, and one that is new."""

        grace_ms = Setting("worker", readers.duration, "how long", to=("worker.grace_ms",))

    monkeypatch.setitem(SETTINGS, "grace", More.grace_ms)
    monkeypatch.setitem(SECTIONS["worker"], "grace", More.grace_ms)
    (tmp_path / "rota.toml").write_text('[worker]\ngrace = "3s"\n')

    from_file = read_settings({}, env={}, folder=tmp_path)
    from_env = read_settings({}, env={"ROTA_GRACE": "4s"}, folder=tmp_path)
    from_flag = read_settings({"grace": "5s"}, env={"ROTA_GRACE": "4s"}, folder=tmp_path)

    told = [said.options_of("worker") for said in (from_file, from_env, from_flag)]
    assert told == [{"grace_ms": 3_000}, {"grace_ms": 4_000}, {"grace_ms": 5_000}]


def test_times_reach_options_in_their_own_unit(tmp_path: Path) -> None:
    said = read_settings({"drain": "1500ms"}, env={}, folder=tmp_path)

    assert said.options_of("worker") == {"drain_ms": 1_500}
    assert said.options_of("server") == {"drain_s": 1.5}


def test_settings_are_read_once() -> None:
    said = Settings(folder=Path(), slots=4)

    with pytest.raises(AttributeError, match="slots cannot be set"):
        said.slots = 5
    with pytest.raises(TypeError, match="no setting 'slot'"):
        Settings(folder=Path(), slot=4)
    assert (said.replace(slots=5).slots, said.slots) == (5, 4)
