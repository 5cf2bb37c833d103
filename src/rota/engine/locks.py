"""Names of what is kept: who looks first and then changes it does both alone."""

from __future__ import annotations

from typing import Literal

from rota.store.base import Tx


def lock_name(
    tx: Tx,
    kind: Literal["calendar", "blackout", "job", "template", "release"],
    name: str,
    *,
    namespace: str,
) -> None:
    """Nobody else makes, changes or removes it until this transaction ends; also if it is not."""
    tx.one("lock_name", what=f"{kind} {namespace} {name}")
