"""Sessions of browsers, and tickets that are good for one use; both are known by their digests."""

from __future__ import annotations

import json
from typing import Literal

from rota.engine.identity.tokens import as_credential, queues_of
from rota.model.identity.credentials import Credential
from rota.store.base import Tx

HOUR_MS = 3_600_000
LIFE_MS = 7 * 24 * HOUR_MS
IDLE_MS = 12 * HOUR_MS
TOUCH_MS = 300_000
"""The last use of a session is written no more often than this."""
LINK_MS = HOUR_MS
"""How long the link that the first start prints may be used."""

Purpose = Literal["login", "stream"]


def open_session(
    tx: Tx,
    digest: str,
    credential: Credential,
    *,
    token_id: str | None,
    ttl_ms: int = LIFE_MS,
) -> None:
    """Open a session, signed in by a token, with which it ends, or by an identity provider."""
    queues = None if credential.queues is None else json.dumps(credential.queues)
    tx.execute(
        "insert_session",
        digest=digest,
        namespace=credential.namespace,
        token_id=token_id,
        who=credential.who,
        roles=json.dumps(credential.roles),
        queues=queues,
        ttl_ms=ttl_ms,
    )


def credential_of_session(tx: Tx, digest: str) -> tuple[Credential, bool] | None:
    """Return the credential of a session, and whether to note its use; None when it has ended."""
    row = tx.one("credential_of_session", digest=digest, idle_ms=IDLE_MS)
    if row is None:
        return None
    credential = Credential(
        id=str(row["token_id"] or digest[:16]),
        who=row["who"],
        namespace=row["namespace"],
        roles=tuple(json.loads(row["roles"])),
        queues=queues_of(row),
        expires_at=row["expires_at"],
        is_session=True,
    )
    return credential, row["now"] - row["seen_at"] > TOUCH_MS


def touch_session(tx: Tx, digest: str) -> None:
    """Note that the session was used, so that it is not idle."""
    tx.execute("touch_session", digest=digest)


def close_session(tx: Tx, digest: str) -> bool:
    """End a session; False if it had ended already."""
    return tx.execute("delete_session", digest=digest) > 0


def give_ticket(tx: Tx, digest: str, *, purpose: Purpose, token_id: str, ttl_ms: int) -> None:
    """Store a ticket; its first bearer acts as the token's owner, once."""
    tx.execute("insert_ticket", digest=digest, purpose=purpose, token_id=token_id, ttl_ms=ttl_ms)


def credential_of_ticket(tx: Tx, digest: str) -> Credential | None:
    """Return the credential behind a sign-in ticket, which stays; None if it is no longer valid."""
    row = tx.one("credential_of_ticket", digest=digest, purpose="login")
    return None if row is None else as_credential(row)


def take_ticket(tx: Tx, digest: str, *, purpose: Purpose) -> Credential | None:
    """Use up a ticket and return its credential; None if it was used before or is too old."""
    taken = tx.all("take_ticket", digest=digest, purpose=purpose)
    if not taken or not taken[0]["is_good"]:
        return None
    row = tx.one("credential_of_id", id=str(taken[0]["token_id"]))
    return None if row is None else as_credential(row)
