"""Idempotency: a repeated request with the same key gets the answer of the first one.

The key, the change and the answer are one transaction, so none of them ever exists without the
others; a second request with the key waits for the first one to commit.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.errors import KeyReused
from rota.store.base import Tx

WINDOW_MS = 24 * 3_600_000
"""How long a key is remembered."""


class KeyedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request's claim on its key."""

    namespace: str
    key: str
    digest: str
    answer: str = ""
    """The answer as JSON text, once it is known."""


def take_keys(tx: Tx, asks: Sequence[KeyedRequest]) -> list[str | KeyReused | None]:
    """For each request: None to go on, its earlier answer, or a refusal; one per key goes on."""
    # In order: two batches with the same keys must not deadlock.
    first: dict[tuple[str, str], KeyedRequest] = {}
    for ask in asks:
        first.setdefault((ask.namespace, ask.key), ask)
    batch = msgspec.json.encode([first[at] for at in sorted(first)]).decode()
    rows = tx.all("take_requests", batch=batch, window_ms=WINDOW_MS)
    ours = {(row["namespace"], row["key"]) for row in rows}
    rows_by_key = {
        (row["namespace"], row["key"]): row for row in tx.all("find_requests", batch=batch)
    }
    results: list[str | KeyReused | None] = []
    for ask in asks:
        at = ask.namespace, ask.key
        if at in ours and first[at] is ask:
            results.append(None)
        elif rows_by_key[at]["digest"] != ask.digest or not rows_by_key[at]["answer"]:
            results.append(KeyReused())
        else:
            results.append(str(rows_by_key[at]["answer"]))
    return results


def answer_keys(tx: Tx, answered: Sequence[KeyedRequest]) -> None:
    """Store the answers of these requests."""
    tx.execute("answer_requests", batch=msgspec.json.encode(answered).decode())


def drop_keys(tx: Tx, refused: Sequence[KeyedRequest]) -> None:
    """Free the keys of requests that changed nothing."""
    tx.execute("drop_requests", batch=msgspec.json.encode(refused).decode())
