"""The nouns that an App and a Client share, each with its verbs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from rota.handles.events import EventVerbs
from rota.handles.queues import QueueVerbs
from rota.handles.runs.bulk import BulkVerbs
from rota.handles.workers import WorkerVerbs
from rota.rules.text.duration import parse_duration

if TYPE_CHECKING:
    from datetime import timedelta

    from rota.handles.alerts import Alerts
    from rota.handles.backend import Backend
    from rota.handles.breakers import Breakers
    from rota.handles.dead_letters import DeadLetters
    from rota.handles.effects import Effects
    from rota.handles.identity import Audit, Namespaces, Tokens
    from rota.handles.jobs.definitions import Definitions
    from rota.handles.jobs.files import Files
    from rota.handles.jobs.releases import Releases
    from rota.handles.jobs.templates import Templates
    from rota.handles.monitors import Monitors
    from rota.handles.runs.saved_views import SavedViews
    from rota.handles.schedules.calendars import Blackouts, Calendars
    from rota.model.insight.statistics import Forecast, Overview
    from rota.model.logs.log import FoundLine, Level
    from rota.model.runs.run import RunView

# ruff: noqa: PLC0415  # each is imported at first use: importing an App stays quick


class SharedNouns(BulkVerbs, EventVerbs, QueueVerbs, WorkerVerbs):
    """Handles over a backend, each made at its first use."""

    @property
    def backend(self) -> Backend:
        """The backend that carries out operations."""
        raise NotImplementedError

    @cached_property
    def alerts(self) -> Alerts:
        """Alerts: what rules have found, the rules themselves, and the channels to people."""
        from rota.handles.alerts import Alerts

        return Alerts(self.backend)

    @cached_property
    def breakers(self) -> Breakers:
        """Breakers: list them, hold a job back, let it go."""
        from rota.handles.breakers import Breakers

        return Breakers(self.backend)

    @cached_property
    def calendars(self) -> Calendars:
        """Named business calendars."""
        from rota.handles.schedules.calendars import Calendars

        return Calendars(self.backend)

    @cached_property
    def blackouts(self) -> Blackouts:
        """Maintenance windows (`blackouts` in Python and on the command line)."""
        from rota.handles.schedules.calendars import Blackouts

        return Blackouts(self.backend)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        """Runs that failed for good."""
        from rota.handles.dead_letters import DeadLetters

        return DeadLetters(self.backend)

    @cached_property
    def monitors(self) -> Monitors:
        """Check-in monitors: foreign cron jobs that ping, and what is missing."""
        from rota.handles.monitors import Monitors

        return Monitors(self.backend)

    @cached_property
    def effects(self) -> Effects:
        """Effects: calls to the outside world that are in doubt; settle one."""
        from rota.handles.effects import Effects

        return Effects(self.backend)

    @cached_property
    def definitions(self) -> Definitions:
        """The jobs on record, from code, files or clients."""
        from rota.handles.jobs.definitions import Definitions

        return Definitions(self.backend)

    @cached_property
    def files(self) -> Files:
        """Job files: the changes they would make, and the changes themselves."""
        from rota.handles.jobs.files import Files

        return Files(self.backend)

    @cached_property
    def releases(self) -> Releases:
        """Releases: the declarations of each deploy, in order; go back to one."""
        from rota.handles.jobs.releases import Releases

        return Releases(self.backend)

    @cached_property
    def templates(self) -> Templates:
        """Templates: jobs with blanks; make one, fill one."""
        from rota.handles.jobs.templates import Templates

        return Templates(self.backend)

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens: the credentials for servers, with their permissions."""
        from rota.handles.identity import Tokens

        return Tokens(self.backend)

    @cached_property
    def views(self) -> SavedViews:
        """Saved views: named filters of the list of runs."""
        from rota.handles.runs.saved_views import SavedViews

        return SavedViews(self.backend)

    @cached_property
    def audit(self) -> Audit:
        """The audit: every change with its actor, and proof that no entry is missing."""
        from rota.handles.identity import Audit

        return Audit(self.backend)

    @cached_property
    def namespaces(self) -> Namespaces:
        """Namespaces: tenants that share the store without seeing each other, with their limits."""
        from rota.handles.identity import Namespaces

        return Namespaces(self.backend)

    def runs(
        self,
        *,
        state: str | None = None,
        job: str | None = None,
        queue: str | None = None,
        before: str | None = None,
        limit: int = 50,
        **search: Any,
    ) -> list[RunView]:
        """Return runs, newest first; `before` is the last id of the page before.

        `search` are further filters: `labels={"team": "billing"}` or `labels=["amount>10"]`,
        `args={"customer": "acme"}`, `since=` and `until=` (a duration such as "2h" counts back from
        now), `schedule=`, `scheduled_since=`, `scheduled_until=`, `error=`, `text=`, `steps=`,
        `parent=`, and `view=`, the name of a saved view.

        Without `steps`, runs of nodes are left out, so that a run of a graph is one run.
        """
        from rota.handles.pages import all_items
        from rota.handles.runs.search import search_fields
        from rota.model.states import State
        from rota.operations.runs.runs import list_runs

        status = None if state is None else State(state)
        filters = {"status": status, "job": job, "queue": queue, **search_fields(search)}
        return all_items(self.backend, list_runs, start=before, limit=limit, **filters)

    def labels(self, name: str | None = None, *, prefix: str = "", limit: int = 50) -> list[str]:
        """Return the names of labels that runs have; with a name, its values."""
        from rota.operations.runs.labels import list_labels

        found = self.backend.call(list_labels, name=name, prefix=prefix, limit=limit).items
        return [each.name if name is None else each.value or "" for each in found]

    def overview(self, *, window: str = "1h") -> Overview:
        """Return how things are now and were in the window: runs, times, causes, concerns."""
        from rota.operations.insight.statistics import show_overview

        return self.backend.call(show_overview, window=window)

    def forecast(self, *, hours: int = 24) -> Forecast:
        """Return the runs that schedules will start, hour by hour, and how long they will take."""
        from rota.operations.insight.statistics import show_forecast

        return self.backend.call(show_forecast, hours=hours)

    def search_logs(
        self,
        text: str,
        *,
        job: str | None = None,
        since: str | float | timedelta | None = None,
        level: Level = "debug",
        limit: int = 100,
    ) -> list[FoundLine]:
        """Return log lines of all runs that hold all words of the text, newest first.

        `since` is how far to look back, such as "1h"; `level` is the lowest level to include.
        """
        from rota.operations.logs.logs import search_logs

        ago = None if since is None else f"{parse_duration(since)}ms"
        return self.backend.call(
            search_logs, text, job=job, since=ago, level=level, limit=limit
        ).items
