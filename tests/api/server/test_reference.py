"""The page of the reference: its own files only, nothing inline, a true description behind it."""

from __future__ import annotations

import re

from tests.api.serving import Served

FILES = {
    "/docs": "text/html",
    "/docs/reference.js": "text/javascript",
    "/docs/reference.css": "text/css",
}


def test_each_file_has_its_kind_and_nobody_gets_it_without_a_credential(shared: Served) -> None:
    client = shared.client("viewer")
    for path, kind in FILES.items():
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, kind)
        assert shared.anyone().get(path).status_code == 401


def test_nothing_is_inline_or_from_elsewhere(shared: Served) -> None:
    client = shared.client("viewer")
    texts = {path: client.get(path).text for path in FILES}
    page = texts["/docs"]

    linked = set(re.findall(r'(?:src|href)="([^"]+)"', page))
    assert linked == {"/docs/reference.css", "/docs/reference.js"}
    assert re.findall(r"<script[^>]*>\s*[^<\s]", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []
    assert not any("://" in text for text in texts.values())
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", texts["/docs/reference.js"]
    )


def test_the_description_tells_all_that_the_page_shows(shared: Served) -> None:
    described = shared.client("viewer").get("/api/v1/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    stream = described["paths"]["/api/v1/events"]["get"]
    assert "text/event-stream" in stream["responses"]["200"]["content"]
    for path, methods in described["paths"].items():
        for method, spec in methods.items():
            assert spec["description"].endswith("."), (method, path)
            names = set(re.findall(r"{(\w+)}", path))
            asked = {each["name"] for each in spec.get("parameters", ()) if each["in"] == "path"}
            assert asked == names, (method, path)
