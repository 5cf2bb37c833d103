"""A link that signs in at any time: of the store's own server, or of one with a token."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import httpx2

from tests.acceptance.test_cli_remote import Both, both
from tests.support.cli import Rota

__all__ = ["both"]


def roles_of(link: str) -> list[str]:
    """Follow the link as a browser does, and return the roles of the session."""
    address, _, ticket = link.partition("/login?ticket=")
    with httpx2.Client(base_url=address) as browser:
        assert ticket in browser.get(f"/login?ticket={ticket}").text
        assert browser.post("/login", data={"ticket": ticket}).status_code == 303
        roles: list[str] = browser.get("/api/v1/session").json()["roles"]
        return roles


def test_who_has_the_store_is_signed_in_at_its_server_whatever_its_port(both: Both) -> None:
    link = both.straight.good("open").out.strip()
    as_json = both.straight.good("open", "--json").documents[0]["link"]

    assert link.startswith(f"{both.address}/login?ticket=")
    assert roles_of(link) == roles_of(as_json) == ["admin", "exec"]


def test_at_a_server_a_link_has_the_rights_of_the_token(both: Both) -> None:
    token = both.straight.good("tokens", "create", "ann", "--role", "operator").out.strip()

    link = both.afar.good("open", ROTA_TOKEN=token).out.strip()

    assert roles_of(link) == ["operator"]


def test_another_address_may_be_said(both: Both) -> None:
    link = both.straight.good("open", "--address", "https://rota.example.org/").out

    assert link.startswith("https://rota.example.org/login?ticket=")


def test_without_a_server_it_says_what_to_do(rota: Rota) -> None:
    rota.good("db", "migrate")

    refused = rota("open")

    assert (refused.code, "rota up" in refused.err) == (3, True)
    assert refused.out == ""


def test_a_new_token_says_its_role_beside_its_secret(local: Rota) -> None:
    local.good("db", "migrate")

    made = local.good("tokens", "create", "me")
    given = local.good("tokens", "create", "ci", "--role", "operator", "--queue", "mail")

    assert len(made.out.split()) == len(given.out.split()) == 1
    assert "token me has the role viewer, which only looks" in made.err
    assert given.err == "token ci has the role operator in queues mail\n"


def test_every_start_on_a_terminal_prints_a_link(local: Rota) -> None:
    local.good("db", "migrate")
    local.good("tokens", "create", "me")  # so that it is not the first start

    shown = until_link(local, "up", "shop.py", "--port", "0", ROTA_SERVE="yes")

    assert roles_of_is_possible(shown)


def roles_of_is_possible(shown: str) -> bool:
    return re.search(r"http://127\.0\.0\.1:\d+/login\?ticket=[\w-]{43}", shown) is not None


def until_link(rota: Rota, *words: str, **env: str) -> str:
    """Return what a serving command shows on a terminal up to its link; then end it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rota", *words],
        cwd=rota.folder,
        env=rota.env | env,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = ""
    try:
        while not roles_of_is_possible(shown):
            shown += os.read(ours, 65536).decode()
    except OSError:
        pass  # Linux says so when the other side of a terminal is gone
    finally:
        process.terminate()
        process.wait(60)
        os.close(ours)
    return shown
