"""The work of `rota up` and `rota worker`: load the app, print addresses, serve until told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rota.cli.main import complain
from rota.cli.serve.processes import ProcessSpec, run_crew, serve_all, worker_member
from rota.cli.serve.reload import restart_on_change, wait_for_change
from rota.errors import AppNotFound, RotaError, StoreLost, StoreRefused, StoreUnavailable

if TYPE_CHECKING:
    from rota.app import App
    from rota.runtime.options import WorkerOptions
    from rota.runtime.supervisor import Incarnation
    from rota.settings.table import Settings

SWITCH_INTERVAL_S = 0.001
"""Handlers and the courier share the interpreter: a claim must not wait 5 ms for its turn."""


def serve(settings: Settings, *, title: str, reloads: bool = False) -> int:
    """Serve the app of these settings in processes that are started again when they crash."""
    from rota.cli.serve.log_lines import tell_notices

    _set_title(f"rota {title}: supervisor")
    tell_notices(settings.log_format)
    if title == "up" and settings.serve is not False:
        return _serve_with_server(settings, reloads=reloads)
    return serve_all(settings.processes, _worker_of(settings, title, reloads=reloads))


def _serve_with_server(settings: Settings, *, reloads: bool) -> int:
    from rota.cli.serve.server import ListenAddress, serve_beside
    from rota.cli.serve.up import ReadyNotice

    notice = ReadyNotice()

    def tell(app: App) -> None:
        notice.tell(ListenAddress(app.url, app.namespace))

    def server() -> int:
        try:
            return serve_beside(settings, notice.hear())
        except RotaError as error:
            return complain(error)

    return run_crew(
        [
            worker_member(_worker_of(settings, "up", tell, reloads=reloads)),
            ProcessSpec("server", server),
        ]
    )


def _worker_of(
    settings: Settings,
    title: str,
    tell: Callable[[App], None] | None = None,
    *,
    reloads: bool = False,
) -> Callable[[Incarnation], int]:
    def work(life: Incarnation) -> int:
        try:
            return _work(settings, life, title, tell, reloads=reloads)
        except StoreUnavailable as error:
            return _away(settings, life, error)
        except AppNotFound as error:
            code = complain(error)
            if not reloads or not life.line.has_served:
                return code
            wait_for_change(settings)
            return 0
        except RotaError as error:
            return complain(error)

    return work


def _away(settings: Settings, life: Incarnation, error: StoreUnavailable) -> int:
    """Return the code for a store that is away: the supervisor retries, unless that is in vain."""
    from rota.cli.serve.startup_wait import tell_away
    from rota.runtime.supervisor import AWAY

    is_vain = settings.wait_for_store is False or isinstance(error, StoreRefused)
    waits = life.line.has_served or not is_vain
    if isinstance(error, StoreLost) or not waits:
        return complain(error)
    if life.line.is_first_to_find_it_away():
        tell_away(error)
    return AWAY


def _work(
    settings: Settings,
    life: Incarnation,
    title: str,
    tell: Callable[[App], None] | None,
    *,
    reloads: bool,
) -> int:
    from msgspec import structs

    from rota.app.workers.options import worker_options
    from rota.cli.loading import load_app
    from rota.cli.serve.echo import echo_to
    from rota.cli.serve.log_lines import start_logging
    from rota.cli.serve.remote_worker import far_worker
    from rota.cli.serve.startup_wait import wait_for_store
    from rota.runtime.supervisor import serve_worker

    sys.setswitchinterval(SWITCH_INTERVAL_S)
    options = worker_options(settings)
    if settings.stored is None and title == "up":
        options = structs.replace(options, stored=True)
    if title == "up" and (reloads or not life.dead):
        options = structs.replace(options, decides=True)
    app = (
        load_app(settings)
        if settings.app is not None or not settings.stored
        else _bare_app(settings)
    )
    if _echoes(settings, title):
        options = structs.replace(options, echo=echo_to(settings.log_format))
    start_logging(settings.log_format)
    if settings.server is None:
        wait_for_store(app, settings, is_first=life.line.is_first_to_find_it_away)
    worker = app.worker(options) if settings.server is None else far_worker(settings, app, options)
    _set_title(f"rota {title}: {settings.app or 'stored jobs'}")
    if settings.log_format == "text" and not life.dead:
        _print_banner(app, settings, options, top=life.line.owner)
    if tell is not None:
        tell(app)
    if reloads:
        restart_on_change(settings)
    try:
        return serve_worker(worker, life)
    finally:
        app.close()


def _bare_app(settings: Settings) -> App:
    """Return an app without code, for `--stored` without an app: it runs jobs of the store.

    Their functions are found where those of an app would be: here, and beside rota.toml.
    """
    from rota.app import App
    from rota.cli.loading import look_in

    look_in((Path.cwd(), settings.folder))
    return App(settings.url, namespace=settings.namespace)


def _echoes(settings: Settings, title: str) -> bool:
    """Whether to print the output of handlers: `rota up` does, a service has `rota logs`."""
    return title == "up" and sys.stdout.isatty() if settings.echo is None else settings.echo


def shown_url(url: str) -> str:
    """Return the address without its password."""
    parts = urlsplit(url)
    if not parts.password:
        return url
    return url.replace(f":{parts.password}@", ":***@", 1)


def _contents(app: App) -> str:
    counted = [_plural(len(app.jobs), "job")]
    if app.graphs:
        counted.append(_plural(len(app.graphs), "graph"))
    return ", ".join(counted)


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _print_banner(app: App, settings: Settings, options: WorkerOptions, *, top: int) -> None:
    from rota.store.open import file_of

    path = file_of(app.url)
    queues = options.queues or sorted({job.spec.queue for job in app.jobs.values()})
    lines = {
        "app": f"{settings.app or 'none'} ({_contents(app)})",
        "stored": "jobs of the store are run, too" if options.stored else "",
        "store": str(path.absolute()) if path else shown_url(app.url),
        "server": settings.server or "",
        "queues": ", ".join(queues or ["default"]),
        "slots": str(options.slots),
        "chores": _chores(app, settings),
        "pid": f"{top} (worker {os.getpid()})",
        "look": f"rota runs --url {shown_url(app.url)}",
    }
    if settings.server is not None:
        lines |= {"store": "", "look": "", "queues": ", ".join(options.queues) or "of the token"}
    print("Rota serves; Ctrl-C drains and ends.")
    for name, text in lines.items():
        if not text:
            continue
        print(f"  {name:<7} {text}", flush=True)


def _chores(app: App, settings: Settings) -> str:
    is_worker = settings.server is None and app.store.login == "worker"
    return "left to others: this login is a worker's" if is_worker else ""


def _set_title(title: str) -> None:
    from setproctitle import setproctitle

    setproctitle(title)
