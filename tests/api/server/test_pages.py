"""The web UI as the server gives it out: one page for all addresses, files that are kept."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from rota.api.routes import pages
from tests.api.serving import Served

SCRIPT = b"console.log('rota');\n" * 100


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><div id=root></div>")
    (folder / "assets" / "main-1a2b.js").write_bytes(SCRIPT)
    (tmp_path / "secret.txt").write_text("not for you")
    monkeypatch.setattr(pages, "BUILT", folder)
    _forget()
    yield folder
    _forget()


def _forget() -> None:
    pages._files.cache_clear()
    pages._content.cache_clear()


@pytest.mark.parametrize("address", ["/", "/runs", "/runs?state=failed&job=add", "/jobs/a%2Fb"])
def test_every_address_of_the_ui_is_the_same_page(
    shared: Served, built: Path, address: str
) -> None:
    answer = shared.client("viewer").get(address)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "<div id=root>" in answer.text


def test_assets_are_compressed_and_cached_by_browsers(shared: Served, built: Path) -> None:
    answer = shared.client("viewer").get("/assets/main-1a2b.js")
    plain = shared.client("viewer").get(
        "/assets/main-1a2b.js", headers={"Accept-Encoding": "identity"}
    )

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == plain.content == SCRIPT
    assert int(answer.headers["content-length"]) == len(gzip.compress(SCRIPT, mtime=0))
    assert "immutable" in answer.headers["cache-control"]
    assert "javascript" in answer.headers["content-type"]


@pytest.mark.parametrize(
    "address",
    ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2Fsecret.txt", "/assets/../../secret.txt"],
)
def test_nothing_else_is_given_out(shared: Served, built: Path, address: str) -> None:
    answer = shared.client("viewer").get(address)

    assert "not for you" not in answer.text


def test_a_person_who_is_not_signed_in_is_led_to_the_form(shared: Served, built: Path) -> None:
    browser = shared.anyone(Accept="text/html,application/xhtml+xml")

    answer = browser.get("/runs?state=failed")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=%2Fruns%3Fstate%3Dfailed"
    asked = shared.anyone().get(answer.headers["location"])
    assert "You are not signed in, or not any more." in asked.text


def test_the_form_leads_back_to_where_a_person_wanted_to_go(served: Served) -> None:
    form = served.anyone().get("/login", params={"next": "/runs?state=failed&q=a%20b"}).text
    sent = {"token": served.token(), "next": "/runs?state=failed&q=a%20b"}
    answer = served.anyone().post("/login", data=sent)
    refused = served.anyone().post("/login", data={**sent, "token": "guess"})

    assert 'name="next" value="/runs?state=failed&amp;q=a%20b"' in form
    assert answer.headers["location"] == "/runs?state=failed&q=a%20b"
    assert (refused.status_code, 'role="alert"' in refused.text) == (401, True)
    assert 'name="next"' in refused.text


@pytest.mark.parametrize(
    "elsewhere",
    ["//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nSet-Cookie: x=1", "a"],
)
def test_nobody_is_sent_elsewhere(served: Served, elsewhere: str) -> None:
    sent = {"token": served.token(), "next": elsewhere}
    answer = served.anyone().post("/login", data=sent)

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "evil" not in served.anyone().get("/login", params={"next": elsewhere}).text


def test_the_form_brings_its_own_look(served: Served) -> None:
    style = served.anyone().get("/login/page.css")

    assert (style.status_code, style.headers["content-type"].split(";")[0]) == (200, "text/css")
    assert '<link rel="stylesheet" href="/login/page.css">' in served.anyone().get("/login").text


def test_a_wrong_address_of_the_api_is_no_page(shared: Served, built: Path) -> None:
    answer = shared.client("viewer").get("/api/v1/nothing")

    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_without_a_build_the_page_says_how(
    shared: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "BUILT", tmp_path / "nowhere")
    _forget()

    answer = shared.client("viewer").get("/")
    _forget()

    assert "make web" in answer.text


def test_the_sign_in_form_tells_where_it_comes_from(served: Served) -> None:
    """Without a referrer browsers call its origin null, and that is refused as foreign."""
    page = served.anyone().get("/login").text
    null = served.anyone().post("/login", data={"token": "x"}, headers={"Origin": "null"})

    assert '<meta name="referrer" content="same-origin">' in page
    assert null.status_code == 403
