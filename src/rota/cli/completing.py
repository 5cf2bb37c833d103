"""Names of the store for the completion of a shell: fast, silent, and without an error.

A shell waits for the answer while somebody types: what cannot be had in a second is not offered.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from rota.cli.connect.backends import Place

PATIENCE_S = 1.0
MOST = 200
"""The most names that are offered, and for lists of runs that are read."""
NEWEST = 50
Found = Iterable[tuple[str, str]]
"""Names, each with a word about it that zsh and fish show."""


class _TooLate(BaseException):
    """The time is over; nothing of ours or of an app catches this."""


def names_of(noun: str) -> Callable[..., list[CompletionItem]]:
    """Return what completes a parameter in a shell: the names of this noun in the store."""

    def offer(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _complete(noun, context.params, incomplete)

    return offer


def _complete(noun: str, flags: Mapping[str, Any], incomplete: str) -> list[CompletionItem]:
    """Return the names of a noun that go on from what was typed."""
    from click.shell_completion import CompletionItem

    with suppress(Exception, _TooLate), _in_silence(), _within(PATIENCE_S):
        return [
            CompletionItem(name, help=about or None)
            for name, about in _found(noun, flags, incomplete)
            if name.startswith(incomplete)
        ][:MOST]
    return []


def _found(noun: str, flags: Mapping[str, Any], incomplete: str) -> list[tuple[str, str]]:
    from rota.cli.connect.backends import place

    known = ("url", "server", "profile", "namespace", "app")
    at = {name: flags[name] for name in known if flags.get(name) is not None}
    with place(at) as here:
        found = NOUNS[noun](here, incomplete)
        return list(found) if noun == "runs" else sorted(found)


def _runs(here: Place, incomplete: str) -> Found:
    """Yield the short ids of the newest runs; whole ones if the beginning was typed."""
    from rota.handles.runs.ids import SHORT

    for run in here.runs(limit=NEWEST):
        short = run.id[-SHORT:]
        yield (short if short.startswith(incomplete) else run.id), f"{run.job}, {run.state}"


def _jobs(here: Place, incomplete: str) -> Found:
    from rota.operations.jobs.jobs import list_jobs

    page = here.backend.call(list_jobs, cursor=_before(incomplete), limit=MOST)
    return ((job.name, job.kind) for job in page.items)


def _graphs(here: Place, incomplete: str) -> Found:
    from rota.operations.graphs.graphs import list_graphs

    page = here.backend.call(list_graphs, cursor=_before(incomplete), limit=MOST)
    return ((graph.name, graph.description) for graph in page.items)


def _before(incomplete: str) -> str | None:
    """Return a name that comes before all that begin with what was typed."""
    return incomplete[:-1] or None


def _queues(here: Place, _: str) -> Found:
    from rota.operations.jobs.jobs import list_jobs

    of_jobs = here.backend.call(list_jobs, limit=MOST).items
    names = {job.queue: "" for job in of_jobs}
    return (
        names | {queue.name: "paused" if queue.is_paused else "" for queue in here.queues()}
    ).items()


def _schedules(here: Place, _: str) -> Found:
    return ((each.name, each.state) for each in here.schedules.list(limit=MOST))


def _breakers(here: Place, _: str) -> Found:
    return ((each.job, each.state.replace("_", " ")) for each in here.breakers.list())


def _calendars(here: Place, _: str) -> Found:
    return ((name, "") for name in here.calendars.list())


def _windows(here: Place, _: str) -> Found:
    return ((name, window.kind) for name, window in here.blackouts.list().items())


def _workers(here: Place, _: str) -> Found:
    return {each.name: each.host for each in here.workers()}.items()


def _namespaces(here: Place, _: str) -> Found:
    return ((each.name, "") for each in here.namespaces.list())


def _tokens(here: Place, _: str) -> Found:
    from rota.handles.runs.ids import SHORT

    return (
        (each.id[-SHORT:], f"{each.name}, {', '.join(each.roles)}") for each in here.tokens.list()
    )


def _releases(here: Place, _: str) -> Found:
    return (
        (str(each.number), f"{each.app or ''} {each.label or ''}".strip())
        for each in here.releases.list()
    )


def _letters(here: Place, _: str) -> Found:
    from rota.handles.runs.ids import SHORT

    letters = here.dead_letters.letters(limit=NEWEST)
    return ((each.run_id[-SHORT:], each.job) for each in letters)


def _letter_groups(here: Place, _: str) -> Found:
    return ((each.fingerprint, each.job) for each in here.dead_letters.groups())


def _templates(here: Place, _: str) -> Found:
    return ((each.name, each.description) for each in here.templates.list())


def _alert_rules(here: Place, _: str) -> Found:
    return ((name, "") for name in here.alerts.rules())


def _alert_channels(here: Place, _: str) -> Found:
    return ((name, each.kind) for name, each in here.alerts.channels().items())


NOUNS: Mapping[str, Callable[[Place, str], Found]] = {
    "runs": _runs,
    "jobs": _jobs,
    "graphs": _graphs,
    "queues": _queues,
    "schedules": _schedules,
    "breakers": _breakers,
    "calendars": _calendars,
    "windows": _windows,
    "workers": _workers,
    "namespaces": _namespaces,
    "tokens": _tokens,
    "releases": _releases,
    "letters": _letters,
    "letter groups": _letter_groups,
    "templates": _templates,
    "alert rules": _alert_rules,
    "alert channels": _alert_channels,
}


@contextmanager
def _in_silence() -> Iterator[None]:
    """Send what is printed meanwhile, also by an app that is imported, nowhere."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise _TooLate when the time is over."""

    def give_up(_signal: int, _frame: object) -> None:
        raise _TooLate

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
