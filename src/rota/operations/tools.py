"""Tools: what a process that carries out operations has for them, beside its store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rota.engine.schedules.compiled import CompiledSchedules
    from rota.rules.jobs.signature import Signature


def _has_no_code(job: str) -> None:
    del job


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """One for each App, and one for each server."""

    schedules: Callable[[], CompiledSchedules]
    """What remembers schedules that it has read; made when it is first asked for."""
    signature: Callable[[str], Signature | None] = _has_no_code
    """That of a job whose function is in this process."""
    payload_bytes: int | None = None
    """The most that a server takes as one value; None where no server is in between."""
