"""The demo on a terminal: one moving picture; elsewhere: lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rota.cli.demo.watcher import DemoLook, Watcher
from rota.cli.output import STATE_STYLES, is_fancy
from rota.cli.safe_text import console
from rota.cli.times import lasted
from rota.model.states import State

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = (State.QUEUED, State.SCHEDULED, State.RUNNING, State.SUCCESS, State.FAILED)


class DemoScreen(Protocol):
    """An output for looks at the demo."""

    def show(self, look: DemoLook) -> None: ...


class DemoLines:
    """An output with a line for each event, and one for the figures when they change."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._states: dict[State, int] = {}

    def show(self, look: DemoLook) -> None:
        if look.states != self._states:
            self._states = look.states
            figures = "  ".join(f"{state} {look.states.get(state, 0):,}" for state in SHOWN)
            print(f"{look.at_s:5.1f} s  {figures}  {look.rate:,.0f}/s", flush=True)
        while self._watcher.events:
            print(self._watcher.events.popleft(), flush=True)


class DemoPanel:
    """An output with a panel that is redrawn at each look."""

    def __init__(self, watcher: Watcher) -> None:
        from rich.live import Live

        self.live = Live(console=console(), refresh_per_second=8)
        self._watcher = watcher

    def show(self, look: DemoLook) -> None:
        self.live.update(self._draw(look))

    def _draw(self, look: DemoLook) -> RenderableType:
        from rich.console import Group
        from rich.panel import Panel
        from rich.text import Text

        events = Text("\n".join(self._watcher.events), style="dim")
        parts = (self._figures(look), self._examples(look), events)
        title = f"Rota demo, {look.at_s:.0f} s"
        spaced = [part for each in parts for part in (each, Text())][:-1]
        return Panel(Group(*spaced), title=title, border_style="cyan")

    def _figures(self, look: DemoLook) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        states = Text("   ").join(
            Text(f"{state} {look.states.get(state, 0):,}", style=STATE_STYLES[state])
            for state in SHOWN
        )
        burst_s = self._watcher.burst_s
        pace = self._watcher.plan.burst / burst_s if burst_s else look.rate
        table = Table.grid(padding=(0, 2))
        table.add_row("burst", ProgressBar(self._watcher.plan.burst, look.burst_done, width=40))
        table.add_row("", f"{look.burst_done:,} of {self._watcher.plan.burst:,}, {pace:,.0f}/s")
        table.add_row("states", states)
        return table

    def _examples(self, look: DemoLook) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("example", "job", "state", "attempt", "progress", "took"):
            table.add_column(name)
        for example, view in zip(self._watcher.plan.examples, look.views, strict=True):
            table.add_row(
                example.title,
                view.job,
                Text(view.state, style=STATE_STYLES.get(view.state, "")),
                str(view.attempt),
                f"{view.progress:.0%}" if view.progress and view.finished_at is None else "",
                lasted(view.created_at, view.finished_at),
            )
        return table


@contextmanager
def screen(watcher: Watcher, where: Sequence[str]) -> Iterator[DemoScreen]:
    """Yield a picture if this is a terminal, lines if not."""
    print("\n".join(where), flush=True)
    if not is_fancy():
        yield DemoLines(watcher)
        return
    picture = DemoPanel(watcher)
    with picture.live:
        yield picture
