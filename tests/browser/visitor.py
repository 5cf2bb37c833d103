"""A person with a browser, and how they press and read."""

from __future__ import annotations

from typing import Any, Protocol

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.watch import Watch

PATIENCE_MS = 20_000

expect.set_options(timeout=PATIENCE_MS)


# Told by the browser: a wait that asks again and again would be text that is evaluated, and our
# pages allow no script to do that.
FIRST_PAINT = """
() => new Promise((done) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (paint) done(paint.startTime);
}).observe({ type: "paint", buffered: true }))
"""


class Visitor:
    """A person with a browser of their own, who is watched."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.address = address
        self.watch = Watch(context, address)
        context.set_default_timeout(PATIENCE_MS)

    def page(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.goto(self.address + path, wait_until="commit")
        return page

    def sign_in(self, token: str) -> None:
        """Without the form, for tests of what comes after it."""
        answer = self.context.request.post(f"{self.address}/login", form={"token": token})
        assert answer.ok, answer.status


class Visit(Protocol):
    """Brings a visitor to an address; options are those of playwright's contexts."""

    def __call__(self, address: str, **options: Any) -> Visitor: ...


def settle(page: Page) -> None:
    """Until everything that the page asked for is there."""
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


def first_paint_ms(page: Page) -> float:
    """From the navigation until something was seen."""
    return float(page.evaluate(FIRST_PAINT))


def press(within: Page | Locator, name: str) -> None:
    """A button by what stands on it."""
    within.get_by_role("button", name=name, exact=True).click()


def type_token(page: Page, token: str) -> None:
    """Signs in by the form."""
    page.get_by_label("Token").fill(token)
    press(page, "Sign in")


def dialog(page: Page, title: str) -> Locator:
    """The open dialog of this title."""
    found = page.get_by_role("dialog", name=title)
    expect(found).to_be_visible()
    return found


def row_of(page: Page, text: str) -> Locator:
    """The row of a table in which this stands."""
    return page.get_by_role("row").filter(has_text=text)


def state_shown(page: Page, word: str) -> None:
    """Beside the name of what the page is about."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(word)


def short(run_id: str) -> str:
    """An id as tables show it."""
    return run_id[-8:]
