"""Runs the demo: a worker and the examples in one process, watched until the end."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from rota.app import App
from rota.cli.demo.jobs import app
from rota.cli.demo.pages_server import PagesAddress, open_in_browser, serving_pages
from rota.cli.demo.plan import submit_all
from rota.cli.demo.screen import screen
from rota.cli.demo.watcher import DemoLook, Watcher
from rota.cli.output import Cell, print_table, state_cell
from rota.cli.serve.serving import SWITCH_INTERVAL_S, shown_url
from rota.cli.times import lasted
from rota.clock import elapsed_s
from rota.store.open import file_of

LOOK_S = 0.12
_NOT_BUILT = " (its pages are not built: `make web` builds them)"
LIMIT_S = 120.0
"""The limit for --once: a longer demo means that something is broken."""


def run_demo(
    url: str | None, *, once: bool, slots: int | None, serve: bool = True, port: int | None = None
) -> int:
    """Run the examples; return 1 if one of them did not end as expected."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if url:
        app.url = url
    with ExitStack() as lasting:
        door = lasting.enter_context(serving_pages(app, port)) if serve else None
        if door is not None and not once:
            open_in_browser(door)
        return _watch(_where(app, door, once=once), once=once, slots=slots)


def _watch(where: list[str], *, once: bool, slots: int | None) -> int:
    with _serving(app, slots or 16) as stop:
        started_s = elapsed_s()
        watcher = Watcher(app, submit_all(app), started_s)
        with screen(watcher, where) as shown:
            look = watcher.look()
            while not stop.is_asked and not (once and _is_over(watcher, look)):
                shown.show(look)
                time.sleep(LOOK_S)
                look = watcher.look()
            shown.show(look)
    if not watcher.is_over(look):
        print("stopped before all examples had ended", file=sys.stderr)
        return int(once)
    _print_summary(watcher, look)
    surprises = watcher.surprises(look)
    for surprise in surprises:
        print(f"not as expected: {surprise}", file=sys.stderr)
    return int(bool(surprises))


def _is_over(watcher: Watcher, look: DemoLook) -> bool:
    return watcher.is_over(look) or look.at_s > LIMIT_S


class _Stop:
    """The stop of the demo: Ctrl-C or TERM ends it in order, a second one waits for no handlers."""

    def __init__(self) -> None:
        self.is_asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # signal's protocol
        self.is_asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _serving(app: App, slots: int) -> Iterator[_Stop]:
    """Run a worker for the app inside the block."""
    worker = app.worker(slots=slots)
    stop = _Stop()
    worker.start()
    try:
        yield stop
    finally:
        worker.stop()
        app.close()


def _where(app: App, door: PagesAddress | None, *, once: bool) -> list[str]:
    path = file_of(app.url)
    url = shown_url(app.url)
    lines = [f"store  {path.absolute() if path else url}"]
    if door is not None:
        lines.append(f"web    {door.address}" + ("" if door.is_built else _NOT_BUILT))
    if once:
        return lines
    if door is not None:
        lines += [
            "",
            "Look at it in a browser; this link signs you in, once:",
            f"  {door.link}",
            "",
        ]
    rota = _program()
    return [
        *lines,
        "try in another terminal, in this folder:",
        f"  {rota} runs --url {url}",
        f"  {rota} runs --state failed --url {url}",
        f"  {rota} submit thumbnail image=cat.png --wait --url {url}",
        f"  {rota} schedules --url {url}",
        f"  {rota} queues --url {url}",
        "Ctrl-C ends the demo",
    ]


def _program() -> str:
    """Return how a person calls `rota` here: after `make demo` alone it is not on the PATH."""
    beside = Path(sys.executable).with_name("rota")
    return os.path.relpath(beside) if shutil.which("rota") is None and beside.exists() else "rota"


def _verdict(*, is_good: bool) -> Cell:
    return Cell("as expected", "green") if is_good else Cell("WRONG", "bold red")


def _print_summary(watcher: Watcher, look: DemoLook) -> None:
    rows = [
        (
            example.title,
            view.job,
            state_cell(view.state),
            str(view.attempt),
            lasted(view.created_at, view.finished_at),
            _verdict(is_good=view.state is example.expected),
        )
        for example, view in zip(watcher.plan.examples, look.views, strict=True)
    ]
    print()
    print_table(("example", "job", "state", "attempts", "took", "verdict"), rows, empty="")
    burst_s = watcher.burst_s or look.at_s
    print(
        f"burst: {watcher.plan.burst:,} runs in {burst_s:.1f} s, "
        f"{watcher.plan.burst / burst_s:,.0f} runs/s from submit to stored result"
    )
