"""Security for alerts: strong tokens, guesses at credentials, and the chain of the audit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from rota.engine.alerts.look import Look
from rota.engine.identity.audit_chain import ChainWalk, walk_on
from rota.model.alerts.finding import AlertFinding
from rota.store.base import Tx

MOST = 200
STRONG = ("admin", "exec")
WALKED = 1_000
"""Entries of the audit that each look checks: 30,000 a minute, again and again."""
_facts = msgspec.json.Decoder(dict[str, Any])


def strong_tokens(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    """Yield tokens that were made or renewed lately and may administer, or run programs."""
    at = {"namespace": look.namespace, "since": look.since, "limit": MOST}
    for row in tx.all("strong_tokens_lately", **at):
        roles = [each for each in json.loads(row["roles"]) if each in STRONG]
        yield AlertFinding(
            kind="security.token",
            subject=f"token {row['id']}",
            title=f"A token was made that has the role {' and '.join(roles)}",
            advice="The audit tells who made it: `rota audit`. If it should not be: "
            f"`rota tokens revoke {row['id']}`.",
            at=row["created_at"],
        )


def guesses(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    """Yield addresses that sent so many bad credentials that a server refused to look at more."""
    at = {"namespace": look.namespace, "since": look.since, "limit": MOST}
    for row in tx.all("guesses_lately", **at):
        address = str(_facts.decode(row["payload"]).get("address", ""))
        yield AlertFinding(
            kind="security.sign_in",
            subject=address,
            title=f"{address} sent too many bad credentials",
            advice="Somebody guesses, or a program has a token that was revoked.",
            at=row["at"],
        )


def broken_chain(tx: Tx, look: Look) -> Iterator[AlertFinding]:
    """Yield what is wrong with the chain of the audit; each look checks a part of it.

    This process remembers how far it is, so that a chain that became shorter is noticed.
    """
    at = "audit walk", look.namespace
    before: ChainWalk | None = tx.memo.get(at)
    after, says = walk_on(tx, before, namespace=look.namespace, most=WALKED)
    tx.memo[at] = after
    if says:
        yield AlertFinding(
            kind="security.audit",
            subject="audit",
            title=f"The audit was changed: {says}",
            advice="Compare it with the anchors and a backup: `rota audit verify`.",
            at=look.now,
            lasts=True,
        )
