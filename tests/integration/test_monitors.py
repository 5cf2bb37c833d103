"""A foreign job that stops pinging is told to a webhook, and so is its next ping."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import msgspec
import pytest

from rota.app import App
from tests.api.serving import serving
from tests.integration.conftest import Serve
from tests.support.calls import eventually
from tests.support.webserver import WebServer


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def test_a_missing_ping_and_the_next_ping_reach_a_webhook(
    app: App, serve: Serve, web: WebServer
) -> None:
    app.alerts.put_channel("ops", web.url("/status/204"))
    app.alerts.put_rule("cron", on=["monitor.down"], to=["ops"])
    backup = app.monitors.put("backup", every="1s", grace="1s")
    serve(alert_private=True)
    with serving(app.url) as served, httpx2.Client(base_url=served.address) as job:

        def told() -> list[tuple[str, str]]:
            posts = [msgspec.json.decode(each.body) for each in web.seen if each.method == "POST"]
            return [(each["kind"], each["incidents"][0]["subject"]) for each in posts]

        assert job.get(backup.path).text == "OK"
        eventually(lambda: told() == [("opened", "backup")])
        assert app.monitors.show("backup").state == "down"
        app.monitors.put("backup", every="1d")
        assert job.post(backup.path, content=b"done").text == "OK"
        eventually(lambda: told() == [("opened", "backup"), ("recovered", "backup")])

    assert app.monitors.show("backup").state == "up"
    assert app.alerts.list(state="open") == []
