"""Handler state: a long handler saves its position, and the next attempt continues there."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from rota.rules.runs.value_limits import MAX_STATE_BYTES, decoded, encoded
from rota.runtime.attempts.context import find_run

T = TypeVar("T")


def checkpoint(state: object) -> None:
    """Save the state for the next attempt, in place of the one before; it is on disk on return.

    JSON of up to 256 KB, removed when the run has ended. Raises LeaseLost when another worker owns
    the run. Does nothing in a handler that is called as a plain function.
    """
    text = encoded(state, "the checkpoint", limit=MAX_STATE_BYTES)
    run = find_run()
    if run is not None:
        run.save_checkpoint(text)


@overload
def last_checkpoint() -> Any: ...


@overload
def last_checkpoint(kind: type[T]) -> T | None: ...


def last_checkpoint(kind: Any = Any) -> Any:
    """Return the state that this or an earlier attempt saved last, read as `kind`; else None.

    Raises BadInput when the state does not fit the type, for instance after a change of code.
    """
    run = find_run()
    text = None if run is None else run.load_checkpoint()
    return None if text is None else decoded(text, kind)
