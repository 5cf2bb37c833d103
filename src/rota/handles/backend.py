"""The backend of handles: carries operations out, in a transaction or through a server."""

from __future__ import annotations

from typing import ParamSpec, Protocol, Self, TypeVar

from rota.operations.operation import Operation

P = ParamSpec("P")
T = TypeVar("T")


class Backend(Protocol):
    """The interface that all handles use."""

    @property
    def namespace(self) -> str:
        """The namespace of the operations."""
        ...

    @property
    def batch(self) -> int | None:
        """The most items that one call may carry; None for any number."""
        ...

    def call(self, operation: Operation[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry out an operation; a change is on disk when this returns."""
        ...

    def acting_as(self, who: str | None) -> Self:
        """Return a backend whose changes the audit records under `who`; None keeps the caller."""
        ...
