"""The last success of a schedule, for use by its runs.

It is apart from other views because its callers need not know how instants are computed.
"""

from __future__ import annotations

import msgspec

from rota.store.base import Tx


class LastSuccess(msgspec.Struct, frozen=True, kw_only=True):
    """The last run of a schedule that succeeded: when, and what it returned, as JSON text."""

    at: int | None = None
    result: str | None = None


def last_success(tx: Tx, name: str, *, namespace: str) -> LastSuccess:
    """The last success; empty when there is none, without a result when retention removed it."""
    row = tx.one("last_success", namespace=namespace, name=name)
    return LastSuccess(at=row["at"], result=row["result"]) if row else LastSuccess()
