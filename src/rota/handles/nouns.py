"""The nouns that an App and a Client have alike, each with its verbs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.handles.breakers import Breakers
    from rota.handles.calendars import Blackouts, Calendars
    from rota.handles.effects import Effects
    from rota.handles.files import Files
    from rota.handles.identity import Audit, Namespaces, Tokens
    from rota.handles.jobs import Definitions

# ruff: noqa: PLC0415  # each is imported for those who ask for it: importing an App stays quick


class SharedNouns:
    """Handles over a backend, made when they are first asked for."""

    @property
    def backend(self) -> Backend:
        """What carries out operations."""
        raise NotImplementedError

    @cached_property
    def breakers(self) -> Breakers:
        """Which jobs are held back; hold one, let it go."""
        from rota.handles.breakers import Breakers

        return Breakers(self.backend)

    @cached_property
    def calendars(self) -> Calendars:
        """Named business calendars."""
        from rota.handles.calendars import Calendars

        return Calendars(self.backend)

    @cached_property
    def blackouts(self) -> Blackouts:
        """Maintenance windows."""
        from rota.handles.calendars import Blackouts

        return Blackouts(self.backend)

    @cached_property
    def effects(self) -> Effects:
        """Calls to the outside world that are in doubt; say what became of one."""
        from rota.handles.effects import Effects

        return Effects(self.backend)

    @cached_property
    def definitions(self) -> Definitions:
        """The jobs on record, whatever brought them."""
        from rota.handles.jobs import Definitions

        return Definitions(self.backend)

    @cached_property
    def files(self) -> Files:
        """Job files: what they would change, and the change itself."""
        from rota.handles.files import Files

        return Files(self.backend)

    @cached_property
    def tokens(self) -> Tokens:
        """Who may ask servers for what."""
        from rota.handles.identity import Tokens

        return Tokens(self.backend)

    @cached_property
    def audit(self) -> Audit:
        """Who did what, and whether that is the whole truth."""
        from rota.handles.identity import Audit

        return Audit(self.backend)

    @cached_property
    def namespaces(self) -> Namespaces:
        """Who shares the store without seeing each other, and how much each may use."""
        from rota.handles.identity import Namespaces

        return Namespaces(self.backend)
