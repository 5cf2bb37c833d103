"""A process that is killed while it sends an alert: another one sends it, with the same id."""

from __future__ import annotations

import pytest

from rota.app import App
from tests.contract.builders import run_sql
from tests.support.calls import eventually
from tests.support.processes import Crew
from tests.support.webserver import WebServer

pytestmark = pytest.mark.chaos


def test_a_message_survives_the_death_of_its_sender(app: App, crew: Crew) -> None:
    with WebServer() as web:
        app.alerts.put_channel("ops", web.url("/slow"))
        told = app.alerts.test("ops")
        sender = crew.worker(alert_private=True)
        eventually(lambda: web.seen)

        sender.kill()
        (left,) = app.alerts.messages()
        assert (left.state, left.tries) == ("waiting", 1)

        app.alerts.put_channel("ops", web.url("/status/204"))
        # The wait of a dead sender is over.
        run_sql(app.url, "update rota.alert_message set next_at = 0")
        crew.worker(alert_private=True, lease_ms=60_000, margin_ms=10_000)
        eventually(lambda: [each.state for each in app.alerts.messages()] == ["sent"])

        posts = [seen for seen in web.seen if seen.method == "POST"]
        assert [seen.headers["webhook-id"] for seen in posts] == [told.id, told.id]
