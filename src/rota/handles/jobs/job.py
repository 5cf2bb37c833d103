"""Jobs as a program holds them, of an App or behind a server: calls and policies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

S = TypeVar("S")


class JobHandle(Generic[S]):
    """A job that can be submitted, also with other policies (`S`)."""

    @abstractmethod
    def with_options(self, **options: Any) -> S:
        """Change policies for the submits that are made through the result."""

    def after(self, delay: str | float | timedelta) -> S:
        """Delay the run: `job.after("10m").submit("a.png")`."""
        return self.with_options(delay=delay)

    def at(self, when: datetime) -> S:
        """Run at this time, which must have a zone."""
        return self.with_options(at=when)


def arguments_of(call: Any) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return the arguments of one item of `submit_many`, by position and by name."""
    if isinstance(call, tuple):
        return call, {}
    return ((), call) if isinstance(call, Mapping) else ((call,), {})
