"""A plain call of a graph gives what a run gives, or is refused before anything is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rota import App
from rota.errors import NotAllowed

app = App("sqlite:///never-opened.db")
called: list[str] = []


@app.job
def note(text: str) -> str:
    called.append(text)
    return text


@app.job
def halve(number: int) -> float:
    return 10 / number


@app.job
def join_up(parts: list[Any]) -> str:
    return "+".join(str(part) for part in parts)


@app.job
def twice(text: str) -> str:
    return note(text) + note(text)  # inside of a handler a job is a function


def choosing() -> None:
    pick = note.node(kind="branch")("note_2")
    note.node(after=pick)("yes")


def cutting() -> None:
    note.node(after=note.node(kind="short_circuit")(""))("more")


def clearing() -> None:
    up = note.node(kind="setup")("up")
    note.node(kind="teardown", setups=up)("down")


def telling() -> None:
    note.node(kind="notify", after=note("a"))("told")


def mending() -> None:
    note.node(join="one_failed", after=note("a"))("mended")


def forgiving() -> None:
    note.node(join="all_done", after=note("a"))("forgiven")


def asking_state() -> None:
    note.node(when=note("a").state == "success")("b")  # type: ignore[attr-defined]


def asking_error() -> None:
    note(note("a").error.message)  # type: ignore[attr-defined]


def returning_state() -> Any:
    return {"state": note("a").state}  # type: ignore[attr-defined]


def backwards() -> None:
    note.node(after="last")("a")
    note.node(name="last")("b")


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (choosing, "node 'note': kind='branch'"),
        (cutting, "node 'note': kind='short_circuit'"),
        (clearing, "node 'note': kind='setup'"),
        (telling, "node 'note_2': kind='notify'"),
        (mending, "node 'note_2': join='one_failed'"),
        (forgiving, "node 'note_2': join='all_done'"),
        (asking_state, "node 'note_2': how another node ended"),
        (asking_error, "node 'note_2': how another node ended"),
        (returning_state, "result: how a node ended"),
        (backwards, "node 'note': it comes after 'last', which is written below it,"),
    ],
)
def test_a_plain_call_refuses_run_only_nodes_before_it_calls_any(
    function: Callable[[], Any], says: str
) -> None:
    graph = app.graph(name=function.__name__)(function)
    called.clear()

    with pytest.raises(NotAllowed, match=f"{says} is for graphs that run; submit it"):
        graph()

    assert called == []


def test_a_node_after_a_skipped_one_is_skipped_unless_its_join_bears_that() -> None:
    @app.graph(name="skipping")
    def graph(wanted: bool) -> Any:  # noqa: FBT001
        first = note.node(when=wanted)("first")
        second = note(first)
        last = join_up.node(join="none_failed")([first, second])
        return {"second": second, "last": last}

    called.clear()
    assert graph(wanted=False) == {"second": None, "last": "None+None"}
    assert called == []
    assert graph(wanted=True) == {"second": "first", "last": "first+first"}


def test_a_part_of_what_a_skipped_node_gives_needs_a_run() -> None:
    @app.graph(name="parts")
    def graph(wanted: bool) -> Any:  # noqa: FBT001
        return note(note.node(when=wanted)("first")[0])

    assert graph(wanted=True) == "f"
    with pytest.raises(NotAllowed, match=r"a node was skipped.*only a run can tell"):
        graph(wanted=False)


def test_a_type_error_of_a_handler_is_raised_as_it_is() -> None:
    @app.graph(name="type_errors")
    def graph(wanted: bool, parts: Any) -> Any:  # noqa: FBT001
        note.node(when=wanted)("first")
        return join_up(parts)

    with pytest.raises(TypeError, match="not iterable"):
        graph(wanted=False, parts=5)


def test_failed_items_are_borne_as_far_as_a_run_bears_them() -> None:
    @app.graph(name="tolerant")
    def graph(numbers: list[int]) -> Any:
        return join_up(halve.node(tolerate=1).map(numbers))

    assert graph([1, 0, 2]) == "10.0+None+5.0"
    with pytest.raises(ZeroDivisionError):
        graph([1, 0, 0])


def test_jobs_inside_of_a_handler_are_functions() -> None:
    @app.graph(name="doubling")
    def graph() -> Any:
        return note(twice("a"))

    assert graph() == "aa"


def test_a_graph_within_a_graph_is_called_plainly_too() -> None:
    @app.graph(name="inner_plain")
    def inner(text: str) -> Any:
        return note(text)

    @app.graph(name="outer_plain")
    def outer(texts: list[str]) -> Any:
        return join_up(inner.map(texts))

    assert outer(["a", "b"]) == "a+b"


def test_a_function_that_looks_at_what_it_is_given_is_refused() -> None:
    @app.graph(name="looking")
    def graph(text: Any) -> None:
        if text is None:
            note("nothing")
        note("always")

    @app.graph(name="leaving")
    def fewer(text: Any) -> None:
        note("always")
        if text is not None:
            note("something")

    for each in (graph, fewer):
        with pytest.raises(NotAllowed, match=r"makes other nodes than a run.*submit it"):
            each(None)
