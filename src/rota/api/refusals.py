"""Refusals worth a notice: somebody tries what is not allowed. A flood of them is told in part."""

from __future__ import annotations

from rota.api.buckets import Buckets
from rota.notices import emit

TOLD = 10.0
"""Notices a minute about one address."""


class Refusals:
    """Of one server process."""

    def __init__(self) -> None:
        self._buckets = Buckets()

    def tell(self, code: str, *, address: str, request_id: str, detail: str, who: str = "") -> None:
        """What was refused, to whom; the text of the request is a fact, never a format."""
        if self._buckets.take(address, rate=TOLD / 60, burst=TOLD):
            return
        emit("api.refused", code=code, address=address, who=who, request=request_id, detail=detail)
