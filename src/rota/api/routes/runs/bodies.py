"""The bodies of requests about runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from rota.errors import BadInput
from rota.model.view import Body


class SubmitBody(Body):
    """A run to be made."""

    job_id: str | None = None
    job: str | None = None
    """Another name for `jobId`; give one of them."""
    args: dict[str, Any] = msgspec.field(default_factory=dict)
    queue: str | None = None
    priority: int | Literal["high", "medium", "low"] | None = None
    delay: str | float | None = None
    """Start after this: `10m`, or seconds."""
    at: datetime | None = None
    key: str | None = None
    """The key of the run: within its window, the same key means the same run for all callers."""
    key_window: str | float | None = None
    expires: str | float | None = None
    timeout: str | float | None = None
    retries: int | None = None
    cache: Literal[False] | None = None
    """false: run it even if its result is known."""

    @property
    def name(self) -> str:
        """Return the name of the job."""
        name = self.job if self.job_id is None else self.job_id
        if name is None or (self.job is not None and self.job != name):
            raise BadInput("jobId: say which job, once")
        return name

    def options(self) -> dict[str, Any]:
        """Return the options as a submit takes them."""
        values = {name: getattr(self, name) for name in _OPTIONS}
        return {name: value for name, value in values.items() if value is not None}


_OPTIONS = (
    "queue", "priority", "delay", "at", "key", "key_window", "expires", "timeout", "retries",
    "cache",
)  # fmt: skip


class BulkBody(Body):
    """Many runs at once."""

    runs: list[SubmitBody]
