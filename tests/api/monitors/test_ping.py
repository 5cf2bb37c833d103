"""The addresses that foreign jobs ping: their forms, their bounds, and what is refused."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from rota.api.monitors.ping_batcher import BURST
from rota.model.monitors.monitor import PING_BODY_BYTES, MonitorView, PingView
from tests.api.serving import OTHER, Served

RID = "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278"
MEGABYTE = 1_000_000


class Pinged:
    """A monitor of a server, and a job that pings it without any credential."""

    def __init__(self, served: Served) -> None:
        self.monitors = served.app.monitors
        self.view = self.monitors.put("backup", every="1d", grace="1h")
        self.job = served.anyone()

    def ping(self, after: str = "", *, method: str = "GET", body: bytes = b"") -> httpx2.Response:
        content = body or None
        return self.job.request(method, self.view.path + after, content=content)

    @property
    def now(self) -> MonitorView:
        return self.monitors.show("backup")

    @property
    def last(self) -> PingView:
        return self.monitors.pings("backup", limit=1)[0]


@pytest.fixture
def pinged(served: Served) -> Pinged:
    return Pinged(served)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_ping_is_answered_ok(pinged: Pinged, method: str) -> None:
    answer = pinged.ping(method=method)

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["ping-body-limit"] == "100000"
    assert answer.text == ("" if method == "HEAD" else "OK")
    assert (pinged.now.state, pinged.last.method) == ("up", method)


@pytest.mark.parametrize(
    ("after", "state", "told"),
    [
        ("/start", "started", ("start", None)),
        ("/fail", "down", ("fail", None)),
        ("/log", "new", ("log", None)),
        ("/0", "up", ("success", 0)),
        ("/137", "down", ("fail", 137)),
    ],
)
def test_an_address_tells_what_has_happened(
    pinged: Pinged, after: str, state: str, told: tuple[str, int | None]
) -> None:
    assert pinged.ping(after).text == "OK"

    assert pinged.now.state == state
    assert (pinged.last.kind, pinged.last.exit_status) == told


def test_a_monitor_is_pinged_by_its_name_too(pinged: Pinged) -> None:
    answers = [pinged.job.get(pinged.view.slug_path + after) for after in ("/start", "/3", "")]

    assert [each.text for each in answers] == ["OK"] * 3
    told = [(each.kind, each.exit_status) for each in pinged.monitors.pings("backup")]
    assert told == [("success", None), ("fail", 3), ("start", None)]


def test_a_start_and_its_end_are_paired(pinged: Pinged) -> None:
    pinged.ping(f"/start?rid={RID}")
    pinged.ping(f"?rid={RID}&create=1")

    assert pinged.last.rid == RID
    assert pinged.last.duration_ms is not None


def test_the_log_that_comes_along_is_kept(pinged: Pinged) -> None:
    text = "tar: /srv: Permission denied\n\x1b[31mé\0"
    pinged.job.post(
        f"{pinged.view.path}/2", content=text.encode(), headers={"User-Agent": "cron\x09job"}
    )

    kept = pinged.monitors.show_ping("backup", 1)

    assert kept.body == text.replace("\0", "�")
    assert (kept.size, kept.is_cut, kept.agent) == (len(text.encode()), False, "cronjob")


@pytest.mark.parametrize(
    "piece", [b"x", b"\xff", "é".encode()], ids=["letters", "no text", "accents"]
)
def test_a_long_log_is_cut_and_its_ping_counts(pinged: Pinged, piece: bytes) -> None:
    assert pinged.ping("/fail", method="POST", body=piece * 2 * MEGABYTE).text == "OK"

    kept = pinged.monitors.show_ping("backup", 1)

    assert (kept.size, kept.is_cut) == (len(piece) * 2 * MEGABYTE, True)
    assert PING_BODY_BYTES - 4 < len(kept.body.encode()) <= PING_BODY_BYTES
    assert pinged.now.state == "down"


def test_a_log_without_end_is_cut_off_and_its_ping_counts(pinged: Pinged) -> None:
    host, port = pinged.job.base_url.host, pinged.job.base_url.port
    with socket.create_connection((host, port), timeout=30) as line:
        head = f"POST {pinged.view.path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
        line.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"%x\r\n%s\r\n" % (MEGABYTE, b"x" * MEGABYTE)
        try:
            for _ in range(100):
                line.sendall(piece)
        except OSError:
            pass
        else:
            pytest.fail("the server took all of it")

    assert pinged.now.state == "up"
    assert pinged.last.size < 12 * MEGABYTE


def test_an_unknown_address_is_not_found(pinged: Pinged) -> None:
    answers = [pinged.job.get(path) for path in (f"/ping/{RID}", f"/ping/{'k' * 22}/backup")]
    removed = pinged.view.path
    pinged.monitors.rotate("backup")

    assert [(each.status_code, each.text) for each in answers] == [(404, "not found")] * 2
    assert pinged.job.get(removed).status_code == 404
    assert pinged.now.pings == 0


@pytest.mark.parametrize(
    "after",
    [
        "/256",
        "/-1",
        "/stop",
        "/start/now",
        "/0x1",
        "/%2e%2e",
        "/" + "9" * 500,
        "%2Fstart",
        "?rid=x",
    ],
)
def test_an_address_of_no_known_form_is_refused(pinged: Pinged, after: str) -> None:
    answer = pinged.ping(after)

    assert answer.status_code == 400
    assert answer.text in ("invalid url format", "invalid uuid format")
    assert pinged.now.pings == 0


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(pinged: Pinged, method: str) -> None:
    assert pinged.ping(method=method).status_code == 405
    assert pinged.now.pings == 0


def test_the_edge_stands_before_pings_too(pinged: Pinged) -> None:
    path = pinged.view.path
    foreign_host = pinged.job.get(path, headers={"Host": "evil.example"})
    foreign_page = pinged.job.post(path, headers={"Origin": "https://evil.example"})
    twice = pinged.job.get(path.replace("/ping/", "/ping//"))

    assert [each.status_code for each in (foreign_host, foreign_page, twice)] == [421, 403, 404]
    assert pinged.now.pings == 0


def test_a_flood_of_pings_of_one_monitor_is_slowed_down(served: Served, pinged: Pinged) -> None:
    other = served.app.monitors.put("other", every="1d")
    answers = [pinged.ping("/log") for _ in range(int(BURST) + 20)]

    slow = [each for each in answers if each.status_code == 429]
    assert slow
    assert all(int(each.headers["retry-after"]) >= 1 for each in slow)
    assert pinged.now.pings == len(answers) - len(slow)
    assert pinged.job.get(other.path).text == "OK", "others are not held back"


def test_many_jobs_may_ping_in_the_same_moment(served: Served) -> None:
    paths = [served.app.monitors.put(f"job-{n}", every="1d").path for n in range(40)]
    job = served.anyone()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda path: job.get(path).text, paths * 3))

    assert set(answers) == {"OK"}
    assert {each.pings for each in served.app.monitors.list()} == {3}


def test_pings_reach_the_monitor_of_their_namespace(served: Served, pinged: Pinged) -> None:
    client = served.client(namespace=OTHER)
    theirs = client.put("/api/v1/monitors/backup", json={"every": "1d"}).json()

    pinged.job.get(theirs["path"])
    pinged.job.get(theirs["slugPath"])

    assert client.get("/api/v1/monitors/backup").json()["pings"] == 2
    assert pinged.now.pings == 0


def test_a_viewer_sees_no_address(served: Served, pinged: Pinged) -> None:
    viewer = served.client("viewer")

    shown = viewer.get("/api/v1/monitors/backup")
    listed = viewer.get("/api/v1/monitors")

    secrets = [pinged.view.path.split("/")[2], pinged.view.slug_path.split("/")[2]]
    assert all(secret not in each.text for secret in secrets for each in (shown, listed))
    assert (shown.json()["isMasked"], shown.json()["verbs"]) == (True, [])
    assert served.client("operator").get("/api/v1/monitors/backup").json()["path"] in (
        pinged.view.path
    )


def test_a_credential_of_some_queues_sees_no_monitors(served: Served, pinged: Pinged) -> None:
    some = served.client("operator", queues=("mail",))

    assert some.get("/api/v1/monitors").status_code == 403
    assert some.get("/api/v1/monitors/backup/pings").status_code == 403
    assert some.post("/api/v1/monitors/backup/ping").status_code == 403


def test_changes_are_in_the_audit_and_pings_are_not(served: Served, pinged: Pinged) -> None:
    pinged.ping()
    pinged.monitors.pause("backup", note="moving")
    pinged.ping()

    told = [(each.verb, each.subject) for each in served.app.audit.list()]

    assert told == [("pause monitor", "backup"), ("put monitor", "backup")]


def test_monitors_are_listed_by_state_and_in_pages(served: Served) -> None:
    client = served.client()
    for name in ("a", "b", "c"):
        served.app.monitors.put(name, every="1d")
    served.app.monitors.ping("b", exit_status=1)

    down = client.get("/api/v1/monitors?only=down").json()["items"]
    first = client.get("/api/v1/monitors?limit=2").json()
    rest = client.get(f"/api/v1/monitors?limit=2&cursor={first['next']}").json()

    assert [each["name"] for each in down] == ["b"]
    assert [each["name"] for each in (*first["items"], *rest["items"])] == ["a", "b", "c"]
    assert rest["next"] is None


def test_a_change_of_what_was_not_read_is_refused(served: Served, pinged: Pinged) -> None:
    client = served.client()
    etag = client.get("/api/v1/monitors/backup").headers["etag"]
    pinged.ping()
    at = {"If-Match": etag}

    kept = client.put("/api/v1/monitors/backup", json={"every": "2d"}, headers=at)
    stale = client.put("/api/v1/monitors/backup", json={"every": "3d"}, headers=at)
    there = client.put(
        "/api/v1/monitors/backup", json={"every": "3d"}, headers={"If-None-Match": "*"}
    )

    assert [each.status_code for each in (kept, stale, there)] == [200, 412, 412]
