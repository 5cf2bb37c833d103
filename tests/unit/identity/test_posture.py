"""What `rota doctor --security` takes for a weak point."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import moment
from rota.ids import new_id
from rota.model.identity.credentials import TokenView
from rota.rules.security import posture

NOW = 200 * posture.DAY_MS


def token(name: str = "ci", **fields: Any) -> TokenView:
    given: dict[str, Any] = {
        "id": new_id(),
        "namespace": "default",
        "name": name,
        "prefix": "rota_abcde",
        "roles": ("viewer",),
        "queues": None,
        "created_at": moment(NOW),
        "created_by": "ann",
        "expires_at": None,
        "used_at": None,
        "revoked_at": None,
        "revoked_by": None,
    }
    return TokenView(**given | fields)


@pytest.mark.parametrize(
    ("near", "tls", "proxy", "status"),
    [
        (True, False, False, "ok"),
        (False, True, False, "ok"),
        (False, False, True, "ok"),
        (False, False, False, "problem"),
    ],
)
def test_a_listener_is_near_or_covered(*, near: bool, tls: bool, proxy: bool, status: str) -> None:
    found = posture.listener("10.0.0.7", is_near=near, has_tls=tls, behind_proxy=proxy)

    assert found.status == status
    assert bool(found.advice) is (status != "ok")


def test_powerful_tokens_expire() -> None:
    endless = token("deploy", roles=("author", "exec"))
    fine = [token(), token(roles=("admin",), expires_at=NOW + 1)]

    assert posture.endless_tokens(fine).status == "ok"
    found = posture.endless_tokens([*fine, endless])
    assert (found.status, "deploy (default)" in found.found) == ("warning", True)
    many = posture.endless_tokens([token(str(each), roles=("admin",)) for each in range(9)])
    assert "and 4 more" in many.found


def test_tokens_that_nobody_uses() -> None:
    old = NOW - posture.UNUSED_MS - 1
    fine = [token(), token(created_at=moment(old), used_at=moment(NOW))]

    assert posture.idle_tokens(fine, NOW).status == "ok"
    assert posture.idle_tokens([*fine, token(created_at=moment(old))], NOW).status == "warning"


@pytest.mark.parametrize(
    ("url", "statuses"),
    [
        ("sqlite:///rota.db", []),
        ("postgresql://rota@127.0.0.1/rota", []),
        ("postgresql:///rota?host=/run/postgresql", []),
        ("postgresql://rota@db.example.org/rota", ["warning"]),
        ("postgresql://rota@db.example.org/rota?sslmode=require", ["warning"]),
        ("postgresql://rota@db.example.org/rota?sslmode=verify-full", ["ok"]),
    ],
)
def test_a_database_elsewhere_proves_who_it_is(url: str, statuses: list[str]) -> None:
    assert [each.status for each in posture.connection(url)] == statuses


def test_the_rest_is_good_or_bad() -> None:
    assert posture.shared_file(1).status == "ok"
    assert posture.shared_file(2).status == "warning"
    assert posture.open_files([]).status == "ok"
    assert "rota.toml" in posture.open_files(["rota.toml"]).found
    assert posture.anchored(has_sink=True, is_signed=True).status == "ok"
    assert posture.anchored(has_sink=True, is_signed=False).status == "warning"
    assert posture.anchored(has_sink=False, is_signed=False).status == "warning"
    good = list(posture.programs(is_root=True, user="jobs", new_privileges=False))
    bad = list(posture.programs(is_root=True, user=None, new_privileges=True))
    assert [each.status for each in good] == ["ok"]
    assert [each.status for each in bad] == ["warning", "warning"]
