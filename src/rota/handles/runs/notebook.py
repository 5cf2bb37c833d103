"""A run in a notebook: a bar that follows it, made of plain HTML; its text everywhere else."""

from __future__ import annotations

from html import escape
from threading import Thread
from typing import TYPE_CHECKING, Any

from rota.errors import RotaError
from rota.model.states import FINAL, State

if TYPE_CHECKING:
    from rota.handles.runs.run import RunHandle
    from rota.model.runs.run import RunView

TURN_S = 0.5
"""How long to wait for the end between two looks at the progress."""


def show_in_notebook(run: RunHandle[Any]) -> None:
    """Show the run where a cell shows its value; a thread keeps it current until the end."""
    from IPython import get_ipython  # noqa: PLC0415  # only IPython calls this
    from IPython.display import display  # noqa: PLC0415

    shell = get_ipython()
    if shell is None or "text/html" not in shell.display_formatter.active_types:
        print(repr(run))  # noqa: T201  # a terminal, which is where IPython wants it
        return
    view = run.show()
    shown: Any = display(  # type: ignore[no-untyped-call]  # IPython's own
        _bundle(run, view), raw=True, display_id=True
    )
    if view.state not in FINAL:
        follow = Thread(target=_follow, args=(run, view, shown), name="rota-notebook", daemon=True)
        follow.start()


def _follow(run: RunHandle[Any], view: RunView, shown: Any) -> None:
    """Show each change until the run has ended, or the store or server is gone."""
    try:
        while view.state not in FINAL:
            run._wait(TURN_S)  # noqa: SLF001  # the other half of the handle
            before, view = view, run.show()
            if _facts(before) != _facts(view):
                shown.update(_bundle(run, view), raw=True)
    except RotaError as error:
        text = f"{run!r}: {error}"
        shown.update({"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>"}, raw=True)


def _facts(view: RunView) -> tuple[object, ...]:
    return view.state, view.progress, view.progress_note, view.attempt


def _bundle(run: RunHandle[Any], view: RunView) -> dict[str, str]:
    return {"text/plain": repr(run), "text/html": run_html(view)}


def run_html(view: RunView) -> str:
    """Return one line: the job, a bar, the state, and what the handler or its error says."""
    done = view.progress or 0.0
    if view.state is State.SUCCESS:
        done = 1.0
    # Without a value the bar shows that something goes on, and not how far it is.
    is_vague = view.state is State.RUNNING and view.progress is None
    value = "" if is_vague else f' value="{done:.4f}"'
    said = view.progress_note or ""
    if view.error is not None and view.state in FINAL:
        said = f"{view.error.type}: {view.error.message}"
    share = "" if is_vague or view.state in FINAL else f" {done:.0%}"
    return (
        f'<div title="{escape(view.id)}"><b>{escape(view.job)}</b> '
        f'<progress{value} max="1"></progress> {view.state}{share} {escape(said[:200])}</div>'
    )
