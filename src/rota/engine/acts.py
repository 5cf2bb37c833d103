"""Acts: what people did, with who, when and why; written with the change itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.store.base import Row, Tx

_detail = msgspec.json.Decoder(dict[str, Any])


class By(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for a change, and why; the id makes a request that is sent twice one act."""

    act_id: str
    who: str
    why: str = ""
    address: str | None = None
    """Where the request came from, if it came over the network."""
    request_id: str | None = None


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """A change that a person made."""

    id: str
    at: int
    who: str
    verb: str
    subject: str
    detail: dict[str, Any]


def record(
    tx: Tx, by: By, *, namespace: str, verb: str, subject: str, detail: Mapping[str, Any]
) -> None:
    """Write an act into the transaction of the change, so that both are there or neither."""
    told = {**detail, "why": by.why} if by.why else dict(detail)
    tx.execute(
        "insert_act",
        id=by.act_id,
        namespace=namespace,
        who=by.who,
        verb=verb,
        subject=subject,
        detail=msgspec.json.encode(told).decode(),
    )


def find_act(tx: Tx, act_id: str, *, namespace: str) -> Act | None:
    """The act of that id: whether a change with a broken commit was made."""
    row = tx.one("find_act", id=act_id, namespace=namespace)
    return _act(row) if row else None


def acts(  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    verb: str | None = None,
    who: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Act]:
    """The newest first; `before` is the last id of the page before."""
    rows = tx.all("list_acts", namespace=namespace, verb=verb, who=who, before=before, limit=limit)
    return [_act(row) for row in rows]


def _act(row: Row) -> Act:
    return Act(
        id=str(row["id"]),
        at=row["at"],
        who=row["who"],
        verb=row["verb"],
        subject=row["subject"],
        detail=_detail.decode(row["detail"]),
    )
