"""Looks over the shoulder of every page: what no page of ours may ever do."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, Request

NOTE_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class Watch:
    """Collects errors of scripts, dialogs, broken policies and requests to other hosts."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.wrongs: list[str] = []
        self._address = address
        self._forgiven: list[str] = []
        context.add_init_script(NOTE_VIOLATIONS)
        context.on("page", self._look_at)

    def forgive(self, text: str) -> None:
        """For tests that provoke something."""
        self._forgiven.append(text)

    def check(self) -> None:
        wrongs = [
            wrong for wrong in self.wrongs if not any(text in wrong for text in self._forgiven)
        ]
        assert not wrongs, "\n".join(wrongs)

    def _look_at(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.wrongs.append(f"script: {error}"))
        page.on("console", self._hear)
        page.on("dialog", self._refuse)
        page.on("request", self._ask)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrongs.append(f"console: {message.text} {message.location.get('url', '')}")

    def _refuse(self, dialog: Dialog) -> None:
        self.wrongs.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _ask(self, request: Request) -> None:
        if not request.url.startswith((f"{self._address}/", "data:", "blob:")):
            self.wrongs.append(f"request: {request.url}")
