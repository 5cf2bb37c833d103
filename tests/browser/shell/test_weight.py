"""How much a browser has to fetch before a page is there; how long that takes is only told."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, first_paint_ms

SCRIPT_BUDGET = 175_000
"""Far below what the pages may have: it grew once without anybody noticing."""


class Fetched:
    """The bytes that came over the wire, by the kind of what was asked for."""

    def __init__(self, page: Page) -> None:
        self.bytes: dict[str, float] = {}
        self._kinds: dict[str, str] = {}
        wire = page.context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.responseReceived", self._begin)
        wire.on("Network.loadingFinished", self._end)

    def _begin(self, event: dict[str, Any]) -> None:
        self._kinds[event["requestId"]] = event["type"]

    def _end(self, event: dict[str, Any]) -> None:
        kind = self._kinds.get(event["requestId"], "Other")
        self.bytes[kind] = self.bytes.get(kind, 0) + event["encodedDataLength"]


def test_the_first_page_needs_little_script(visit: Visit, sqlite_site: Site) -> None:
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.context.new_page()
    fetched = Fetched(page)

    page.goto("/")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()

    paint_ms = first_paint_ms(page)
    script = fetched.bytes["Script"]
    told = ", ".join(f"{kind} {size / 1000:.0f} KB" for kind, size in fetched.bytes.items())
    assert script <= SCRIPT_BUDGET, f"first contentful paint {paint_ms:.0f} ms, {told}"
    assert script > SCRIPT_BUDGET / 10, f"nothing was measured: {told}"
