"""Receipts: a step of a run takes effect exactly once in a database of the user's own.

The receipt is a row in the user's transaction, beside the writes that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from rota.errors import WrongConnection
from rota.rules.runs.value_limits import encoded
from rota.rules.text.names import check_name
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.context import current_run
from rota.store.foreign.receipts import Receipts


class Receipt:
    """Whether this is the first time for a step, and the step's result."""

    def __init__(self, *, first: bool, result: Any) -> None:
        self.first = first
        """True if no attempt of this run has committed the step before: do the work now."""
        self.result = result
        """The result of the step, as JSON. Set it the first time, read it otherwise."""


@contextmanager
def once_in(connection: Any, *, step: str) -> Iterator[Receipt]:
    """Guard a step of the current run by a receipt in the transaction of `connection`.

    The step commits once per run, with its receipt, when you commit. Repeats get the stored result.
    A block that raises is undone together with its receipt. The table `rota_receipt` is created if
    it is missing.

    Raises LeaseLost at the begin or the end of the block if another worker owns the run, or after
    an acknowledged cancel; then the block changed nothing. Commit soon after the block, since
    nothing checks the lease again.
    """
    call = current_run().call
    run_id = call.lease.run_id
    check_name("step", step)
    receipts = Receipts(connection)
    if receipts.is_loose():
        raise WrongConnection(
            "the connection commits each statement by itself (autocommit); begin a transaction "
            "first, so that the receipt and your writes are committed together"
        )
    _check_lease(call)
    with receipts.savepoint():
        first = receipts.take(run_id, step)
        stored = None if first else receipts.read(run_id, step)
        receipt = Receipt(first=first, result=msgspec.json.decode(stored or "null"))
        yield receipt
        if first:
            receipts.keep(run_id, step, encoded(receipt.result, f"the result of step {step}"))
            _check_lease(call)


def _check_lease(call: Attempt) -> None:
    if call.services is not None:  # else nobody has leased it: a test calls its own handler
        call.services.check_lease(call.lease)
