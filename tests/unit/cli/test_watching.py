"""What people see of a run that goes on: the tree, what changed, the bars."""

from __future__ import annotations

from typing import Any

import pytest

from rota.cli.pages.timeline import print_timeline
from rota.cli.pages.tree import branches
from rota.cli.pages.watch import fitting
from rota.cli.watching import RunChanges, RunLook
from rota.clock import moment
from rota.engine.graphs.views.nodes import word_of
from rota.model.graphs.run_nodes import MapProgress, NodeView, Progress
from rota.model.graphs.timeline import Part, Timeline, TimelineSpan, TimelineTrack
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.model.view import JsonText


def view(state: State = State.SUSPENDED, **facts: Any) -> RunView:
    return RunView(
        id="r", namespace="default", job="nightly", version=1, queue="default", priority=0,
        status=state, state=state, args=JsonText("{}"), attempt=1, failures=0, crashes=0,
        created_at=moment(0), due_at=moment(0), ready_at=moment(0), **facts,
    )  # fmt: skip


def node(
    name: str, state: str = "pending", *, run_state: str | None = None, **facts: Any
) -> NodeView:
    word = word_of(state, run_state)
    return NodeView(name=name, state=state, word=word, job=name, run_state=run_state, **facts)


def span(part: Part, start: int, end: int) -> TimelineSpan:
    return TimelineSpan(part=part, start_at=moment(start), end_at=moment(end))


def look(*nodes: NodeView, state: State = State.SUSPENDED) -> RunLook:
    return RunLook(view(state), {each.name: each for each in nodes}, Progress(total=1, done=0), 0)


def test_groups_stand_where_their_first_node_does_and_count() -> None:
    lines = branches(
        {
            "a": node("a", "success"),
            "b": node("b", "success", group="load"),
            "c": node("c"),
            "d": node("d", group="load/parts"),
            "sub": node("sub", "active", run_state="suspended"),
            "sub/e": node("e", "active", run_state="queued"),
        }
    )

    assert [(each.label, each.word or each.about) for each in lines] == [
        ("├─ a", "success"),
        ("├─ load", "1 of 2"),
        ("│  ├─ b", "success"),
        ("│  └─ parts", "0 of 1"),
        ("│     └─ d", "pending"),
        ("├─ c", "pending"),
        ("└─ sub", "running"),
        ("   └─ e", "queued"),
    ]


def test_quiet_nodes_make_room_for_active_ones() -> None:
    nodes = {f"n{at}": node(f"n{at}", "success") for at in range(50)}
    nodes["last"] = node("last", "failed")

    shown = fitting(branches(nodes), 10)

    assert [each.word for each in shown] == ["failed", ""]
    assert shown[-1].label == "... 50 more nodes"


def test_each_change_is_told_once_and_the_end_last() -> None:
    changes = RunChanges()

    def told(seen: RunLook) -> list[tuple[str, str, str | None]]:
        return [(each.path, each.word, each.was) for each in changes.of(seen)]

    first = look(node("a", "active", run_state="queued"), node("b"))
    assert told(first) == [("", "suspended", None), ("a", "queued", "pending")]
    assert told(first) == []
    over = look(node("a", "success"), node("b", "skipped"), state=State.SUCCESS)
    assert told(over) == [
        ("a", "success", "queued"),
        ("b", "skipped", "pending"),
        ("", "success", "suspended"),
    ]


def test_a_map_is_told_of_in_steps() -> None:
    changes = RunChanges()

    def told(ended: int) -> int:
        progress = MapProgress(total=100, done=ended, failed=0, running=1, made=100)
        return len(list(changes.of(look(node("m", "active", map=progress)))))

    assert [told(ended) for ended in (0, 5, 9, 10, 15, 35)] == [2, 0, 0, 1, 0, 1]


def test_bars_share_one_scale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "55")
    tracks = (
        TimelineTrack(
            name="a",
            state="success",
            attempts=2,
            stretches=(
                span("failed", 0, 2_000),
                span("queued", 2_000, 3_000),
                span("running", 3_000, 5_000),
            ),
        ),
        TimelineTrack(
            name="b",
            state="active",
            stretches=(span("queued", 5_000, 10_000),),
        ),
        TimelineTrack(name="c", state="pending"),
    )

    line = Timeline(run_id="r", tracks=tracks, start_at=moment(0), end_at=moment(10_000))
    print_timeline(line, view())

    assert capsys.readouterr().out.splitlines() == [
        "nightly  running  10.0 s",
        "   0 ms      5.0 s10.0 s",
        "a  ▒▒▒▒░░████            ✔ success  5.0 s  2 attempts",
        "b            ░░░░░░░░░░  ▶ active",
        "c                        · pending",
        "░ queued   █ running   ▒ failed",
    ]


def test_a_graph_that_goes_on_runs_until_somebody_pauses_it() -> None:
    changes = RunChanges(in_words=True)
    goes_on = look(node("a"))

    def told(seen: RunLook) -> list[tuple[str, str | None]]:
        return [(each.word, each.was) for each in changes.of(seen)]

    assert told(goes_on) == [("running", None)]
    assert told(goes_on._replace(is_paused=True)) == [("paused", "running")]
    assert told(goes_on) == [("running", "paused")]
