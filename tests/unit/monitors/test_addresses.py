"""The addresses that jobs ping: those of healthchecks.io, and nothing else."""

from __future__ import annotations

import pytest

from rota.errors import BadOption
from rota.rules.monitors.addresses import PingTarget, ping_key_text, read_address, read_rid

ID = "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278"
KEY = "fqOOd6-F4MMNuCEnzTU01w"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        (ID, PingTarget(ID, None, "success")),
        (ID.upper(), PingTarget(ID, None, "success")),
        (f"{ID}/", PingTarget(ID, None, "success")),
        (f"{ID}/start", PingTarget(ID, None, "start")),
        (f"{ID}/fail", PingTarget(ID, None, "fail")),
        (f"{ID}/log", PingTarget(ID, None, "log")),
        (f"{ID}/0", PingTarget(ID, None, "success", 0)),
        (f"{ID}/1", PingTarget(ID, None, "fail", 1)),
        (f"{ID}/255", PingTarget(ID, None, "fail", 255)),
        (f"{KEY}/db-backup", PingTarget(KEY, "db-backup", "success")),
        (f"{KEY}/start", PingTarget(KEY, "start", "success")),
        (f"{KEY}/db-backup/start", PingTarget(KEY, "db-backup", "start")),
        (f"{KEY}/db-backup/7", PingTarget(KEY, "db-backup", "fail", 7)),
    ],
)
def test_an_address_names_a_monitor_and_what_is_told(path: str, target: PingTarget) -> None:
    assert read_address(path) == target


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "nothing", KEY, f"{KEY}/", "short/backup", f"{ID}/256", f"{ID}/-1"),
        *(f"{ID}/1000", f"{ID}/stop", f"{ID}/start/now", f"{ID}/٣", f"{ID}x", f"{ID}%2Fstart"),
        f"{KEY}/db-backup/start/now",
    ],
)
def test_any_other_address_is_refused(path: str) -> None:
    with pytest.raises(BadOption, match="invalid url format"):
        read_address(path)


def test_the_id_of_a_run_is_a_uuid() -> None:
    assert read_rid(None) is None
    assert read_rid(ID.upper()) == ID
    with pytest.raises(BadOption, match="invalid uuid format"):
        read_rid("run-1")


def test_a_ping_key_is_never_taken_for_an_id() -> None:
    key = ping_key_text(bytes(range(16)))

    assert read_address(f"{key}/backup").name == "backup"
