"""Tools: what operations need of their process, beside its store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rota.ttl_cache import TtlCache

if TYPE_CHECKING:
    from rota.rules.jobs.signature import Signature


def _has_no_code(job: str) -> None:
    del job


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """One for each App, and one for each server."""

    signature: Callable[[str], Signature | None] = _has_no_code
    """That of a job whose function is in this process."""
    recent: TtlCache[Any] = msgspec.field(default_factory=TtlCache)
    """Figures that may be a little old."""
    payload_bytes: int | None = None
    """The most that a server takes as one value; None where no server is in between."""
