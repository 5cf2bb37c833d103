"""Refused requests: all are counted; of a flood of them only a part is reported as notices."""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args

from rota.api.server.rate_limit import TokenBuckets
from rota.engine.identity.namespaces import HOME
from rota.notices import emit

TOLD = 10.0
"""The most notices a minute about one address."""
Kind = Literal[
    "no-credential",
    "unknown-credential",
    "ended-credential",
    "failed-sign-in",
    "not-permitted",
    "too-many",
    "foreign-host",
    "foreign-origin",
    "bad-head",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class SecurityEvents:
    """The refusals of one server process."""

    def __init__(self) -> None:
        self._buckets = TokenBuckets()
        self._counts: Counter[tuple[str, Kind]] = Counter()

    def count(self, kind: Kind, namespace: str = HOME) -> None:
        """Count a refusal; one without a known namespace counts for the home namespace."""
        self._counts[namespace, kind] += 1

    def counts(self, namespace: str) -> dict[Kind, int]:
        """Return how often each kind happened since the process began."""
        return {kind: self._counts[namespace, kind] for kind in KINDS}

    def tell(self, code: str, *, address: str, request_id: str, detail: str, who: str = "") -> None:
        """Send a notice about a refusal; text of the request is a fact in it, never a format."""
        if self._buckets.take(address, rate=TOLD / 60, burst=TOLD):
            return
        emit("api.refused", code=code, address=address, who=who, request=request_id, detail=detail)
