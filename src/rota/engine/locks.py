"""Locks on names, so that one transaction can look first and then change."""

from __future__ import annotations

from typing import Literal

from rota.store.base import Tx


def lock_name(
    tx: Tx,
    kind: Literal[
        "calendar",
        "blackout",
        "job",
        "template",
        "release",
        "namespace",
        "alert rule",
        "alert channel",
        "monitor",
    ],
    name: str,
    *,
    namespace: str,
) -> None:
    """Lock a name: no other transaction makes, changes or removes it, even if it does not exist."""
    tx.one("lock_name", what=f"{kind} {namespace} {name}")
