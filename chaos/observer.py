"""The observer: reads the tables during the run, and remembers every ending that it saw."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import psycopg

from chaos.jobs import SESSION
from chaos.site import Site

# S18 in one query: each live run waits for a time, has a place in a queue, or has a worker
# whose row says until when it is trusted (a run of a worker without a row is taken back).
STUCK = """
select id, state, worker_id, ready_at, rank
  from rota.run
 where not ((state = 'scheduled' and ready_at is not null)
         or (state = 'queued' and rank is not null)
         or (state = 'running' and worker_id is not null and started_at is not null))
"""
ENDS = "select id, state, fence, finished_at from rota.run_history where finished_at > %s"
SESSIONS = """
select application_name, count(*)
  from pg_stat_activity
 where application_name like %s
   and backend_start < clock_timestamp() - interval '1 second'
 group by application_name
"""
"""Counts sessions; a pool closes a superfluous session at once."""
AMNESTY = "select resumed_at from rota.chore where name = 'reap' and resumed_at > 0"
OVERLAP_MS = 10_000
"""How much later than its timestamp a row may be committed."""


class Observer(threading.Thread):
    """Looks at intervals; while PostgreSQL is away it sees nothing and reports nothing."""

    def __init__(self, site: Site) -> None:
        super().__init__(daemon=True)
        self.looks = 0
        self.stuck: list[str] = []
        self.seen: dict[str, tuple[Any, ...]] = {}
        """State, fence and time of each ending at first sight."""
        self.sessions: Counter[str] = Counter()
        """The most sessions that each process had at once."""
        self.amnesties: set[int] = set()
        """The times at which reaping resumed after a gap, so leases were spared for a while."""
        self._site = site
        self._newest_ms = 0
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(self._site.sizes.look_s):
            try:
                self.look()
            except psycopg.Error:
                continue

    def look(self) -> None:
        """Look at everything once."""
        self.stuck += [str(row) for row in self._site.ask(STUCK)]
        for run_id, *end in self._site.ask(ENDS, (self._newest_ms - OVERLAP_MS,)):
            self.seen.setdefault(str(run_id), tuple(end))
            self._newest_ms = max(self._newest_ms, end[2])
        self.amnesties.update(at_ms for (at_ms,) in self._site.ask(AMNESTY))
        if self._site.servers.bouncer is None:  # there the sessions are not of one process
            for name, number in self._site.ask(SESSIONS, (f"{SESSION}%",)):
                self.sessions[name] = max(self.sessions[name], number)
        self.looks += 1

    def stop(self) -> None:
        self._stopping.set()
        self.join()
