"""Effects of a handler: those that commit with its run, and those in the outside world.

Handlers use them through `current_run()`; docs/effects.md states the promises.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from rota.errors import BadOption, InDoubt, NotAllowed, RotaError
from rota.rules.runs.effect_keys import effect_key
from rota.rules.runs.value_limits import MAX_STATE_BYTES, encoded
from rota.rules.text.duration import parse_duration
from rota.rules.text.names import check_name
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.services import RunServices
from rota.runtime.attempts.transaction import Transaction

Policy = Literal["retry", "park"] | Callable[[str], Any]
Apply = Callable[[Transaction], Any]


def desk_of(call: Attempt) -> RunServices:
    """Return the run services of the worker that runs this attempt."""
    services: RunServices | None = call.services
    if services is None:
        raise RotaError("this handler has no store: no worker carries out its run")
    return services


class _Thrown(Exception):
    """Carries a BaseException that is no Exception out of a transaction shared with others."""


def commit(call: Attempt, apply: Apply | None, *, result: Any, limit: str | float | None) -> Any:
    """End the run now, together with what `apply` does; return the result of the run."""
    services = desk_of(call)
    if call.is_committed:
        raise NotAllowed("the run has been committed already")
    limit_s = services.limit_s(None if limit is None else parse_duration(limit) / 1000)
    context = copy_context()  # on SQLite another thread may run it, which has a run of its own
    value = result

    def act(tx: Transaction) -> str:
        nonlocal value
        try:
            returned = context.run(apply, tx) if apply is not None else None
        except Exception:
            raise
        except BaseException as stop:  # Cancelled is for this caller alone, not for the batch
            raise _Thrown from stop
        value = returned if result is msgspec.UNSET else result
        signature = call.work.signature
        assert signature is not None  # noqa: S101  # a handler runs, so it has one
        return signature.dump_result(value)

    with call.shielded():
        call.is_committing = True
        try:
            # Nothing stops an attempt that commits; a drain must not wait for an outage to end.
            services.commit(
                call.begun_lease(),
                act,
                limit_s=limit_s,
                gives_up=lambda: call.stop_reason == "drain",
            )
            call.is_committed = True
        except _Thrown as thrown:
            raise thrown.__cause__ or thrown from None
        finally:
            call.is_committing = False
        if call.on_commit is not None:
            call.on_commit()
    return value


class Effect:
    """One effect in the outside world; see `current_run().once()`.

    When the block ends without an exception, `result` is kept and later attempts get it. When it
    raises, the effect is in doubt, unless `retract()` states that it did not take place.
    """

    def __init__(self, call: Attempt, name: str, *, in_doubt: Policy) -> None:
        if not callable(in_doubt) and in_doubt not in ("retry", "park"):
            raise BadOption(f"in_doubt={in_doubt!r:.64} is not 'retry', 'park' or a function")
        self.name = check_name("effect", name)
        self.idempotency_key = effect_key(call.lease.run_id, call.lease.job, self.name)
        """A key that all attempts of this run, and runs that repeat it after a failure, share.

        It differs for each name. Read it inside the block.
        """
        self.is_done = False
        """The effect took place before: `result` holds its result, do not call again."""
        self.result: Any = None
        """The result of the call; must be JSON."""
        self._call = call
        self._services = desk_of(call)
        self._in_doubt = in_doubt
        self._is_retracted = False

    def retract(self) -> None:
        """State that the call did not take place: it is not in doubt when this attempt fails."""
        self._is_retracted = True

    def __enter__(self) -> Self:
        lease = self._call.lease
        intent = self._services.intend(lease, self.name)
        if intent.key_run is not None:
            self.idempotency_key = effect_key(intent.key_run, lease.job, self.name)
        if intent.is_settled:
            self.result = msgspec.json.decode(intent.result or "null")
            self.is_done = True
        elif not intent.is_new:
            self._resolve()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_done:
            return
        if self._is_retracted:
            self._services.retract(self._call.lease, self.name)
        elif error is None:
            self._settle()

    def _resolve(self) -> None:
        """Apply the policy for an effect that began and left no result."""
        if callable(self._in_doubt):
            self.result = self._in_doubt(self.idempotency_key)
            if self.result is not None:
                self._settle()
        elif self._in_doubt == "park":
            raise InDoubt(self.name)

    def _settle(self) -> None:
        text = encoded(self.result, f"the result of effect {self.name}", limit=MAX_STATE_BYTES)
        self._services.settle(self._call.lease, self.name, text)
        self.is_done = True
