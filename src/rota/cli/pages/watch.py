"""The output of `rota runs watch`: a moving tree, lines, or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rota.cli.output import STATE_STYLES, is_fancy, print_json
from rota.cli.pages.documents import iso
from rota.cli.pages.nodes import told_progress
from rota.cli.pages.states import icon_of
from rota.cli.pages.tree import Branch, branches, instances_of
from rota.cli.safe_text import console
from rota.cli.times import coarse, lasted, took
from rota.cli.watching import RunChanges, RunLook, RunScreen
from rota.model.graphs.run_nodes import NodeView
from rota.model.states import FINAL

if TYPE_CHECKING:
    from rich.console import RenderableType

QUIET = ("success", "skipped", "pending", "upstream_failed", "removed")
"""States whose nodes are left out first when there is not room for all."""
HEAD_LINES = 6


class Documents:
    """An output with a JSON object for each change."""

    def __init__(self) -> None:
        self._changes = RunChanges()

    def show(self, look: RunLook) -> None:
        for change in self._changes.of(look):
            facts: dict[str, Any] = {
                "at": iso(look.now),
                "run": look.run.id,
                "node": change.path or None,
                "state": change.word,
                "was": change.was,
            }
            if change.node is None:
                facts["progress"] = look.progress
                facts["reason"] = look.run.reason
            else:
                instances = change.node.map
                facts |= {
                    "node_run": change.node.run_id,
                    "reason": change.node.reason,
                    "instances": instances and instances.total,
                    "ended": instances and instances.done,
                    "failed": instances and instances.failed,
                }
            print_json([facts])
        sys.stdout.flush()


class WatchLines:
    """An output with a line for each change."""

    def __init__(self) -> None:
        self._changes = RunChanges(in_words=True)

    def show(self, look: RunLook) -> None:
        for change in self._changes.of(look):
            since = took(look.run.created_at.ms, look.now)
            name = change.path or f"run of {look.run.job}"
            about = _about(change.node) if change.node else _of_run(look)
            line = f"{since:>8}  {icon_of(change.word)} {name}  {_shown_word(change.word)}  {about}"
            print(line.rstrip(), flush=True)


class WatchTree:
    """An output with a tree that is redrawn at each look."""

    def __init__(self) -> None:
        from rich.live import Live

        self.live = Live(console=console(), refresh_per_second=8, vertical_overflow="crop")

    def show(self, look: RunLook) -> None:
        self.live.update(self._draw(look))

    def _draw(self, look: RunLook) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        word = look.word
        style = STATE_STYLES.get(word, "cyan")
        end = look.run.finished_at.ms if look.run.finished_at else look.now
        title = Text.assemble(
            (f"{look.run.job} ", "bold"),
            (f"{icon_of(word)} {word}", style),
            f"  {took(look.run.created_at.ms, end)}  run {look.run.id}",
        )
        bar = Table.grid(padding=(0, 1))
        bar.add_row(ProgressBar(1.0, look.progress.share, width=40), f"{look.progress.share:.0%}")
        parts: list[RenderableType] = [title, bar]
        if look.nodes:
            parts.append(Text(told_progress(look.progress), style="dim"))
            room = max(5, self.live.console.height - HEAD_LINES)
            parts += [_drawn(each) for each in fitting(branches(look.nodes), room)]
        if look.run.reason:
            parts.append(Text(look.run.reason, style=style))
        return Group(*parts)


def fitting(tree: list[Branch], room: int) -> list[Branch]:
    """Return the lines that fit; nodes in a quiet state are left out first."""
    if len(tree) <= room:
        return tree
    loud = [each for each in tree if each.is_heading or each.word not in QUIET]
    shown = loud[: room - 1]
    hidden = len(tree) - len(shown)
    return [*shown, Branch(f"... {hidden:,} more nodes", "", "", is_heading=True)]


def _drawn(branch: Branch) -> Any:
    from rich.text import Text

    if branch.is_heading:
        return Text.assemble(branch.label, "  ", (branch.about, "dim"))
    style = STATE_STYLES.get(branch.word, "dim" if branch.word in QUIET else "")
    mark = f"{icon_of(branch.word)} {_shown_word(branch.word)}"
    return Text.assemble(f"{branch.label}  ", (mark, style), f"  {branch.about}".rstrip())


def _about(node: NodeView) -> str:
    is_over = node.word not in ("queued", "running")
    parts = [lasted(node.started_at, node.finished_at) if is_over else ""]
    if node.map is not None:
        parts.append(instances_of(node.map, " instances"))
    parts.append(node.reason or "")
    return "  ".join(part for part in parts if part)


def _of_run(look: RunLook) -> str:
    if look.run.state in FINAL:
        return look.run.reason or ""
    if look.progress.left_ms is not None:
        return f"about {coarse(look.progress.left_ms)} left"
    return ""


def _shown_word(word: str) -> str:
    return word.replace("_", " ")


@contextmanager
def screen(*, as_json: bool) -> Iterator[RunScreen]:
    """Yield JSON on request, a picture if this is a terminal, lines if not."""
    if as_json:
        yield Documents()
    elif not is_fancy():
        yield WatchLines()
    else:
        picture = WatchTree()
        with picture.live:
            yield picture
