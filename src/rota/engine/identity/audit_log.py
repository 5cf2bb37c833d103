"""The audit log: each change with who made it, when and why; written with the change itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from rota.engine.runs.find import like
from rota.ids import is_id
from rota.model.identity.audit import AuditEntry
from rota.model.view import view_of
from rota.store.base import Row, Tx

_detail = msgspec.json.Decoder(dict[str, Any])
OF_TOKENS = frozenset(("create token", "rotate token", "revoke token"))
OF_WORKERS = frozenset(("drain worker", "resume worker"))
READ = 20_000
"""The maximum number of entries that a page passes over to find those that match."""
CLOCKS_MS = 86_400_000
"""Clocks that ids come from differ by no more than this."""


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """The author of a change, and the reason; with one id, a request sent twice is one entry."""

    act_id: str
    who: str
    why: str = ""
    address: str | None = None
    """The address that the request came from, if it came over the network."""
    request_id: str | None = None


class NewAuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An audit entry to be written."""

    id: str
    namespace: str
    who: str
    verb: str
    subject: str
    detail: str
    address: str | None = None
    request_id: str | None = None
    before_digest: str | None = None
    after_digest: str | None = None


def new_act(  # noqa: PLR0913  # who did what, and two digests, all named
    by: Actor,
    *,
    namespace: str,
    verb: str,
    subject: str,
    detail: Mapping[str, Any],
    before_digest: str | None = None,
    after_digest: str | None = None,
) -> NewAuditEntry:
    """Return the audit entry of a change."""
    told = {**detail, "why": by.why} if by.why else dict(detail)
    return NewAuditEntry(
        id=by.act_id,
        namespace=namespace,
        who=by.who,
        verb=verb,
        subject=subject,
        detail=msgspec.json.encode(told).decode(),
        address=by.address,
        request_id=by.request_id,
        before_digest=before_digest,
        after_digest=after_digest,
    )


def record(
    tx: Tx, by: Actor, *, namespace: str, verb: str, subject: str, detail: Mapping[str, Any]
) -> None:
    """Write an entry in the transaction of the change, so that both are there or neither.

    An operation writes its own; this is for a change that is made without one, such as a sign-in.
    """
    record_all(tx, [new_act(by, namespace=namespace, verb=verb, subject=subject, detail=detail)])


def record_all(tx: Tx, acts: Iterable[NewAuditEntry]) -> None:
    """Write several entries; if two have one id, only the first is kept."""
    tx.execute("insert_acts", batch=msgspec.json.encode(list(acts)).decode())


def find_act(tx: Tx, act_id: str, *, namespace: str) -> AuditEntry | None:
    """Return the entry with this id; it shows whether a change with a broken commit was made."""
    row = tx.one("find_act", id=act_id, namespace=namespace)
    return as_act(row) if row else None


class AuditPage(NamedTuple):
    """Some entries, the newest first, and where the next page begins; None at the end of all."""

    acts: list[AuditEntry]
    next: str | None


def acts(tx: Tx, *, namespace: str, before: str | None = None, **wanted: Any) -> list[AuditEntry]:
    """Return the newest entries first; `before` is the last id of the previous page."""
    limit = wanted.pop("limit", 50)
    found: list[AuditEntry] = []
    while True:
        left = limit - len(found)
        page = act_page(tx, namespace=namespace, before=before, limit=left, **wanted)
        found += page.acts
        if page.next is None or len(found) == limit:
            return found
        before = page.next


def act_page(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    verb: str | None = None,
    who: str | None = None,
    subject: str | None = None,
    text: str | None = None,
    since: int | None = None,
    before: str | None = None,
    limit: int = 50,
) -> AuditPage:
    """Return one page; it reads up to a limit, so that it may have fewer than `limit` (ADR 27)."""
    at: dict[str, Any] = {"namespace": namespace, "before": before}
    last = None
    if any(each is not None for each in (verb, who, subject, text, since)):
        last = tx.one("last_act_read", most=max(READ, limit) - 1, **at)
    filters = {"verb": verb, "who": who, "subject": subject, "since": since, "text": like(text)}
    rows = tx.all("list_acts", last=last and last["id"], limit=limit, **filters, **at)
    if len(rows) == limit:
        return AuditPage(_named(tx, rows, namespace), str(rows[-1]["id"]))
    # Ids are in order of time, but not of the clock that an entry's time comes from.
    if last is not None and since is not None and last["at"] < since - CLOCKS_MS:
        last = None
    return AuditPage(_named(tx, rows, namespace), str(last["id"]) if last else None)


def _named(tx: Tx, rows: list[Row], namespace: str) -> list[AuditEntry]:
    """Return entries with the names of tokens, even revoked ones: their rows stay."""
    found = [as_act(row) for row in rows]
    ids = {act.subject for act in found if act.verb in OF_TOKENS and is_id(act.subject)}
    if not ids:
        return found
    listed = tx.all("token_names", namespace=namespace, ids=json.dumps(sorted(ids)))
    names = {str(row["id"]): row["name"] for row in listed}
    return [
        msgspec.structs.replace(act, name=names[act.subject])
        if act.verb in OF_TOKENS and act.subject in names
        else act
        for act in found
    ]


def as_act(row: Row) -> AuditEntry:
    """Return the audit entry of a row."""
    detail = _detail.decode(row["detail"])
    is_named = row["verb"] in OF_TOKENS | OF_WORKERS
    name = detail.get("name") if is_named else None
    return view_of(AuditEntry, row, detail=detail, name=name)
