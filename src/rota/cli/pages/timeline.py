"""A timeline in the terminal: a bar for each node, all on one scale."""

from __future__ import annotations

import shutil
from itertools import groupby

from rota.cli.output import STATE_STYLES, styled
from rota.cli.pages.states import icon_of, run_word
from rota.cli.times import lasted, took
from rota.model.graphs.timeline import Timeline, TimelineTrack
from rota.model.runs.run import RunView

MARKS = {"queued": "░", "running": "█", "failed": "▒"}
STYLES = {"queued": "blue", "running": "green", "failed": "red"}
SHOWN = 200
"""The most nodes that get a bar; all of them are in the JSON."""
LEAST_WIDTH, MOST_WIDTH = 20, 100
LONGEST_NAME = 32


def print_timeline(line: Timeline, run: RunView, *, is_paused: bool = False) -> None:
    """Print a bar for each node, below the state of the run."""
    shown = line.tracks[:SHOWN]
    names = max((len(each.name) for each in shown), default=0)
    label = min(LONGEST_NAME, names)
    columns = shutil.get_terminal_size().columns - label - 34
    width = max(LEAST_WIDTH, min(MOST_WIDTH, columns))
    word = run_word(run.state, is_paused=is_paused)
    print(f"{run.job}  {word}  {lasted(line.start_at, line.end_at)}")
    print(f"{'':<{label}}  {_scale(line, width)}")
    for track in shown:
        name = track.name if len(track.name) <= label else track.name[: label - 1] + "…"
        bar = "".join(
            styled("".join(mark for _, mark in cells), STYLES.get(part, ""))
            for part, cells in groupby(_bar(track, line, width), key=lambda cell: cell[0])
        )
        print(f"{name:<{label}}  {bar}  {_about(track)}".rstrip())
    if len(line.tracks) > SHOWN:
        print(f"{len(line.tracks) - SHOWN:,} more nodes; --json has them all")
    print("".join(f"{mark} {name}   " for name, mark in MARKS.items()).rstrip())


def _bar(track: TimelineTrack, line: Timeline, width: int) -> list[tuple[str, str]]:
    """Return a mark for each step of the scale; short spans get one too, over long ones."""
    begin = line.start_at.ms
    length = max(1, line.end_at.ms - begin)
    cells: list[str] = [""] * width
    for part in ("queued", "running", "failed"):
        for each in track.stretches:
            if each.part != part:
                continue
            first = int((each.start_at.ms - begin) * width / length)
            last = int((each.end_at.ms - begin) * width / length)
            first = max(0, min(width - 1, first))
            least = 1 if part != "queued" else 0
            for at in range(first, min(width, max(last, first + least))):
                cells[at] = part
    return [(part, MARKS.get(part, " ")) for part in cells]


def _scale(line: Timeline, width: int) -> str:
    """Return the scale: `0 ms` at the left, half and all of the time under their places."""
    length = line.end_at.ms - line.start_at.ms
    texts = [took(0, 0), took(0, length // 2), took(0, length)]
    half = width // 2
    return f"{texts[0]:<{half}}{texts[1]:<{max(1, width - half - len(texts[2]))}}{texts[2]}"


def _about(track: TimelineTrack) -> str:
    ran = [each for each in track.stretches if each.part != "queued"]
    length = lasted(ran[0].start_at, ran[-1].end_at) if ran else ""
    extra = f"{track.instances:,} instances" if track.instances is not None else ""
    if track.attempts > 1:
        extra = f"{track.attempts} attempts"
    state = styled(f"{icon_of(track.state)} {track.state.replace('_', ' ')}", _style(track.state))
    return "  ".join(part for part in (state, length, extra) if part)


def _style(state: str) -> str:
    return STATE_STYLES.get(state, "")
