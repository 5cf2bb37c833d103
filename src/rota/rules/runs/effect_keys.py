"""Keys of effects: what systems outside know a call by, and what tells one piece of work."""

from __future__ import annotations

import hashlib


def idempotency_key(run_id: str, job: str) -> str:
    """Thirty-two hex digits that every attempt of a run shares."""
    return _digest(f"{run_id}:{job}")


def effect_key(run_id: str, job: str, name: str) -> str:
    """The same for one effect of a run; a run that is run again keeps that of the first."""
    return idempotency_key(run_id, f"{job}:{name}")


def args_digest(args: str) -> str:
    """What tells the work of a node from another one's: its arguments."""
    return _digest(args)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
