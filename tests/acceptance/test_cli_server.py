"""`rota server` and the server of `rota up` as processes: what they print, serve and survive."""

from __future__ import annotations

import json
import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.support.cli import Rota, Served, eventually
from tests.support.identity_provider import SECRET, IdentityProvider

TOKEN = "automation-token-0123456789-abcdef"
WITH_SERVER = {"ROTA_SERVE": "yes", "ROTA_PORT": "0"}


@pytest.fixture
def rota(tmp_path: Path, store_url: str) -> Rota:
    return Rota(tmp_path, ROTA_URL=store_url)


def address(served: Served) -> str:
    served.wait_for("server started")
    found = re.search(r"listens on (\S+)", served.text)
    assert found, served.text
    return found[1]


def version(url: str, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.get(f"{url}/api/v1/version", headers=headers, timeout=20).status_code


def test_the_first_start_shows_a_token_and_a_link_and_no_other_start_does(bare_rota: Rota) -> None:
    with bare_rota.started("server", "--port", "0") as first:
        url = address(first)
        token = re.findall(r"rota_\S+", first.text)[-1]
        link = re.findall(r"http://\S+/login\?ticket=\S+", first.text)[0]
        with httpx2.Client(timeout=20) as browser:
            ticket = link.partition("ticket=")[2]
            signed = browser.post(f"{url}/login", data={"ticket": ticket})
            assert signed.status_code == 303
            assert browser.get(f"{url}/api/v1/session").json()["roles"] == ["admin", "exec"]
        assert version(url, token) == 200
        with bare_rota.started("server", "--port", "0") as second:
            other = address(second)
            assert "rota_" not in second.text
            assert version(other, token) == 200, "two servers, one store"
        first.process.terminate()
        assert first.wait() == 0

    assert "server stopped" in first.text


def test_automation_brings_its_own_token_and_changes_it(rota: Rota) -> None:
    for token in (TOKEN, TOKEN[::-1]):
        with rota.started("server", "--port", "0", ROTA_ADMIN_TOKEN=token) as served:
            url = address(served)
            assert token not in served.text
            assert version(url, token) == 200
            if token != TOKEN:
                assert version(url, TOKEN) == 401
    known = rota.good("tokens", "list", "--all", "--json").documents
    assert [each["revokedAt"] is None for each in known] == [True, False]
    said = rota("server", "--port", "0", ROTA_ADMIN_TOKEN="short")
    assert (said.code, "at least 32" in said.err) == (2, True)


def test_nothing_listens_beyond_this_machine_by_mistake(rota: Rota) -> None:
    for words in (["--host", "0.0.0.0"], ["--host", "::"], ["--tls-cert", "c.pem"]):
        said = rota("server", "--port", "0", *words)
        assert said.code == 2, said
        assert "Traceback" not in said.err


def test_a_taken_port_is_told_in_a_sentence(rota: Rota) -> None:
    with rota.started("server", "--port", "0") as served:
        port = address(served).rpartition(":")[2]
        said = rota("server", "--port", port)

    assert said.code == 2
    assert f"port {port}" in said.err
    assert "--port" in said.err


def test_programs_read_where_it_is_as_json(rota: Rota) -> None:
    with rota.started("server", "--port", "0", "--json", "--log-format", "json") as served:
        served.wait_for("server started")
        told = json.loads(served.lines[0])

    assert told["address"].startswith("http://127.0.0.1:")
    assert told["token"].startswith("rota_")


def test_up_brings_jobs_and_the_api_together(rota: Rota) -> None:
    with rota.serving("up", "shop.py", **WITH_SERVER) as served:
        url = address(served)
        token = re.findall(r"rota_\S+", served.text)[-1]
        client = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30
        )
        made = client.post("/api/v1/runs", json={"jobId": "add", "args": {"a": 2, "b": 3}})
        run_id = made.json()["executionId"]
        ended = client.get(f"/api/v1/runs/{run_id}?wait=20s").json()
        assert (ended["status"], ended["result"]) == ("success", 5)
        client.close()
        only_local(served)
        served.press_ctrl_c()
        assert served.wait() == 0

    assert "worker stopped" in served.text
    assert "server stopped" in served.text


def only_local(served: Served) -> None:
    """Of all processes of the command, nothing listens but on this machine."""
    whole = [psutil.Process(served.process.pid)]
    whole += whole[0].children(recursive=True)
    listening = [
        each.laddr.ip
        for process in whole
        for each in process.net_connections(kind="inet")
        if each.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}


def test_a_server_that_is_killed_comes_back_and_the_worker_goes_on(rota: Rota) -> None:
    with rota.serving("up", "shop.py", **WITH_SERVER) as served:
        address(served)
        parent = psutil.Process(served.process.pid)
        server = next(each for each in parent.children() if "server" in " ".join(each.cmdline()))
        os.kill(server.pid, signal.SIGKILL)
        served.wait_for("server started", times=2)
        assert rota.good("submit", "add", "1", "2", "--wait").out.strip() == "3"
        served.process.terminate()
        assert served.wait() == 0


def test_an_app_that_cannot_be_loaded_ends_the_whole(rota: Rota) -> None:
    said = rota("up", "nowhere.py", **WITH_SERVER)

    assert said.code == 2
    assert "there is no file" in said.err


def test_a_server_that_cannot_listen_ends_the_whole(rota: Rota) -> None:
    said = rota("up", "shop.py", "--server", "--host", "0.0.0.0")

    assert said.code == 2
    assert "in the clear" in said.err


def test_people_are_sent_to_the_identity_provider_of_the_settings(rota: Rota) -> None:
    with IdentityProvider() as provider:
        (rota.folder / "rota.toml").write_text(
            f'[oidc]\nissuer = "{provider.issuer}"\nclient_id = "rota"\n'
            '[oidc.roles]\nstaff = ["operator"]\nchiefs = ["admin", "exec"]\n'
        )
        said = {"ROTA_OIDC_CLIENT_SECRET": SECRET}
        with rota.started("server", "--port", "0", **said) as served:
            url = address(served)
            with httpx2.Client(timeout=20) as browser:
                left = browser.get(f"{url}/login/oidc")
                answer = httpx2.get(left.headers["location"]).headers["location"]
                assert browser.get(answer).status_code == 303
                assert browser.get(f"{url}/api/v1/session").json()["roles"] == ["operator"]
            assert SECRET not in served.text
    half = rota("server", "--port", "0", ROTA_OIDC_ROLES="staff=boss")
    assert (half.code, "boss" in half.err) == (2, True)


def test_requests_under_way_end_before_the_server_does(rota: Rota) -> None:
    with rota.started("server", "--port", "0", ROTA_ADMIN_TOKEN=TOKEN) as served:
        url = address(served)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with rota.serving("worker", "shop.py"):
            pass
        client = httpx2.Client(base_url=url, headers=headers, timeout=30)
        run_id = client.post("/api/v1/runs", json={"jobId": "add", "args": {"a": 1}}).json()
        with ThreadPoolExecutor(1) as pool:
            path = f"/api/v1/runs/{run_id['executionId']}?wait=2s"
            waiting = pool.submit(client.get, path)
            eventually(lambda: psutil.Process(served.process.pid).num_threads() > 1, "it serves")
            eventually(lambda: len(_connections(served)) > 0, "the request is there")
            served.process.terminate()
            answer = waiting.result(60)
        client.close()
        assert served.wait() == 0

    assert (answer.status_code, answer.json()["status"]) == (200, "queued")


def _connections(served: Served) -> list[object]:
    process = psutil.Process(served.process.pid)
    return [
        each
        for each in process.net_connections(kind="inet")
        if each.status == psutil.CONN_ESTABLISHED
    ]
