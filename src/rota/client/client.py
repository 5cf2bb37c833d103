"""Client: the verbs of an App, as requests to a server."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

from rota.client.address import check_address
from rota.client.end_polls import EndPolls
from rota.client.http_backend import HttpBackend
from rota.client.job import ServedJob
from rota.client.line import HttpTransport
from rota.client.run import ServedRun
from rota.errors import BadOption
from rota.handles.nouns import SharedNouns
from rota.handles.runs.ids import find_run_id
from rota.handles.schedules.schedules import Schedules
from rota.handles.threads import Threads
from rota.model.identity.credentials import SessionView
from rota.model.jobs.job import JobEntry
from rota.model.runs.answers import RunState
from rota.model.view import Page
from rota.rules.text.duration import parse_duration

T = TypeVar("T")

PAGE = 500
THREADS = 16
"""Threads for callers on event loops, each with a request of its own."""
CURSOR = "cursor"
"""The parameter that takes the `next` of a page."""


class Client(SharedNouns):
    """The verbs of an App for programs that have a server and a token, and no database.

    One client serves any number of threads. Requests without an answer are sent again for as long
    as `patience` says; changes carry a key, so that each is made once.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: str | float = "30s",
        patience: str | float = "30s",
        ca_file: str | Path | None = None,
        in_clear: bool = False,
    ) -> None:
        """Connect to `url` with `token`; the defaults are ROTA_SERVER and ROTA_TOKEN.

        ROTA_TOKEN is for ROTA_SERVER, if that is set, and is sent to no other server; an empty
        `token` means none. `timeout` is for one answer. `ca_file` holds certificates to trust
        instead of the usual ones; `in_clear` allows http to another machine.
        """
        address = url or os.environ.get("ROTA_SERVER")
        if not address:
            raise BadOption("say where the server is: Client('https://...'), or ROTA_SERVER")
        secret = (_token_for(address) if token is None else token) or None
        if secret is not None and not (secret.isascii() and secret.isprintable()):
            raise BadOption("the token has characters that no token has")
        self.url = check_address(address, in_clear=in_clear)
        self.line = HttpTransport(
            self.url,
            secret,
            timeout_s=parse_duration(timeout) / 1000,
            patience_s=parse_duration(patience) / 1000,
            verify=_trust(ca_file),
        )
        self.threads = Threads("rota-client", THREADS)
        self.end_polls = EndPolls()

    @cached_property
    def backend(self) -> HttpBackend:
        """The backend, which makes each operation a request to the server."""
        return HttpBackend(self.line, lambda: self.namespace)

    @cached_property
    def schedules(self) -> Schedules[ServedRun]:
        """Schedules: make, change, pause, preview, start by hand, backfill."""
        return Schedules(self.backend, run=self.run)

    def __repr__(self) -> str:
        return f"<Client {self.url}>"

    def find_job(self, name: str) -> ServedJob:
        """Return a job by its name; whether it exists is checked when it is submitted."""
        return ServedJob(self, name)

    def submit(self, job: str, /, *args: Any, **kwargs: Any) -> ServedRun:
        """Ask for one execution; when this returns, it is recorded on disk.

        `find_job(name).with_options(...)` submits with other policies.
        """
        return self.find_job(job).submit(*args, **kwargs)

    def submit_many(self, job: str, calls: Iterable[Any]) -> list[ServedRun]:
        """Ask for up to 10,000 runs at once, all or none; items as in `Job.submit_many`."""
        return self.find_job(job).submit_many(calls)

    async def submit_async(self, job: str, /, *args: Any, **kwargs: Any) -> ServedRun:
        """Submit as `submit` does, without blocking the event loop."""
        return await self.find_job(job).submit_async(*args, **kwargs)

    async def submit_many_async(self, job: str, calls: Iterable[Any]) -> list[ServedRun]:
        """Submit many as `submit_many` does, without blocking the event loop."""
        return await self.find_job(job).submit_many_async(calls)

    def trigger(self, job: str, /, **args: Any) -> ServedRun:
        """Start a job by hand, now; the audit distinguishes this from a submit."""
        body = {"args": self.find_job(job).encoded((), args)}
        state = self.line.post(f"/jobs/{quote(job, safe='')}/trigger", RunState, body)
        return ServedRun(self, state.run_id)

    def run(self, run_id: str) -> ServedRun:
        """Return a handle for a run of any job, by its id."""
        return ServedRun(self, run_id)

    def find_run(self, part: str) -> ServedRun:
        """Return the run whose id begins or ends with the part; BadInput if there are several."""
        return self.run(find_run_id(self.backend, part))

    def jobs(self) -> list[JobEntry]:
        """Return all jobs on record, by name."""
        return self.definitions.list()

    @cached_property
    def namespace(self) -> str:
        """The namespace of the token; requested once."""
        return self.session().namespace

    def session(self) -> SessionView:
        """Return the owner of the token, and its permissions."""
        return self.line.get("/session", SessionView)

    def pages(
        self,
        path: str,
        kind: type[T],
        filters: Mapping[str, str | None],
        *,
        start: str | None = None,
        limit: int | None = None,
    ) -> list[T]:
        """Yield items from as many pages as needed."""
        items: list[T] = []
        after = start
        while limit is None or len(items) < limit:
            size = PAGE if limit is None else min(PAGE, limit - len(items))
            query = {**filters, CURSOR: after, "limit": size}
            page = self.line.get(path, Page[kind], query)  # type: ignore[valid-type]
            items += page.items
            after = page.next
            if after is None:
                break
        return items

    def close(self) -> None:
        """Close the connections; using the client again opens new ones."""
        self.threads.close(wait=False)
        self.end_polls.close()
        self.line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _token_for(url: str) -> str | None:
    """Return the token of the environment, unless it is for another server."""
    server = os.environ.get("ROTA_SERVER") or url
    is_it = server.strip().rstrip("/") == url.strip().rstrip("/")
    return os.environ.get("ROTA_TOKEN") if is_it else None


def _trust(ca_file: str | Path | None) -> Any:
    if ca_file is None:
        return True
    import ssl  # noqa: PLC0415  # few need it

    try:
        return ssl.create_default_context(cafile=str(Path(ca_file).expanduser()))
    except (OSError, ssl.SSLError) as error:
        raise BadOption(f"ca_file: cannot read certificates of {ca_file}: {error}") from error
