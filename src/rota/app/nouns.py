"""The nouns of an App, each with its verbs; a Client has the same ones."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.breakers import Breakers
    from rota.app.calendars import Blackouts, Calendars
    from rota.app.dead_letters import DeadLetters
    from rota.app.effects import Effects
    from rota.app.files import Files
    from rota.app.house import Audit, Namespaces, Tokens
    from rota.app.releases import Releases
    from rota.app.schedules import Schedules

# ruff: noqa: PLC0415  # each is imported for those who ask for it: importing an App stays quick


class Nouns:
    """What an App has at hand, made when it is first asked for."""

    @property
    def _whole(self) -> App:
        return cast("App", self)

    @cached_property
    def schedules(self) -> Schedules:
        """What fires when: make, change, pause, preview, start by hand, backfill."""
        from rota.app.schedules import Schedules

        return Schedules(self._whole)

    @cached_property
    def calendars(self) -> Calendars:
        """Named business calendars."""
        from rota.app.calendars import Calendars

        return Calendars(self._whole)

    @cached_property
    def blackouts(self) -> Blackouts:
        """Maintenance windows."""
        from rota.app.calendars import Blackouts

        return Blackouts(self._whole)

    @cached_property
    def breakers(self) -> Breakers:
        """Which jobs are held back; hold one, let it go."""
        from rota.app.breakers import Breakers

        return Breakers(self._whole)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """Runs that failed for good."""
        from rota.app.dead_letters import DeadLetters

        return DeadLetters(self._whole)

    @cached_property
    def effects(self) -> Effects:
        """Calls to the outside world that are in doubt; say what became of one."""
        from rota.app.effects import Effects

        return Effects(self._whole)

    @cached_property
    def files(self) -> Files:
        """Job files: what they would change, and the change itself."""
        from rota.app.files import Files

        return Files(self._whole)

    @cached_property
    def releases(self) -> Releases:
        """What the code of apps declared, one deploy after the other; go back to one."""
        from rota.app.releases import Releases

        return Releases(self._whole)

    @cached_property
    def tokens(self) -> Tokens:
        """Who may ask servers for what."""
        from rota.app.house import Tokens

        return Tokens(self._whole)

    @cached_property
    def audit(self) -> Audit:
        """Who did what, and whether that is the whole truth."""
        from rota.app.house import Audit

        return Audit(self._whole)

    @cached_property
    def namespaces(self) -> Namespaces:
        """Who shares the store without seeing each other, and how much each may use."""
        from rota.app.house import Namespaces

        return Namespaces(self._whole)
