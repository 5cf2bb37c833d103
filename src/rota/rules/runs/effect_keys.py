"""Keys of effects: identify a call for outside systems, and one piece of work."""

from __future__ import annotations

import hashlib


def idempotency_key(run_id: str, job: str) -> str:
    """Return thirty-two hex digits that all attempts of a run share."""
    return _digest(f"{run_id}:{job}")


def effect_key(run_id: str, job: str, name: str) -> str:
    """Return the key of one effect of a run; a repeated run keeps the key of the first."""
    return idempotency_key(run_id, f"{job}:{name}")


def args_digest(args: str) -> str:
    """Return a digest of a node's arguments, which tells its work apart from other work."""
    return _digest(args)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
