"""What axe says about a page: rules of accessibility, run in the page itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from playwright.sync_api import Page

from tests.support.source import ROOT

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that another theme can break."""
STILL = """
() => new Promise((done) => requestAnimationFrame(() => done(Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition)
    .map((each) => each.finished)).then(() => true))))
"""
"""In the middle of a change of colours nothing has the contrast it will have."""
RUN = """
async (rules) => (await axe.run(document, {
  resultTypes: ["violations"], ...(rules && { runOnly: rules }),
})).violations.map((each) => ({
  rule: each.id, impact: each.impact,
  nodes: each.nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
}))
"""


def grave_violations(page: Page, rules: Sequence[str] | None = None) -> list[str]:
    """What hinders people, a line for each element; by all rules if none are named."""
    page.evaluate(_axe())
    page.evaluate(STILL)
    found: list[dict[str, Any]] = page.evaluate(RUN, rules)
    return [
        f"{each['rule']} ({each['impact']}) at {node}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


@cache
def _axe() -> str:
    return AXE.read_text()
