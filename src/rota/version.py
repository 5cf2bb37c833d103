"""The version of the installed package, read once and late."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as read


@cache
def version() -> str:
    """As in the package's metadata; `0` when Rota runs from a folder that was never installed."""
    try:
        return read("rota")
    except PackageNotFoundError:
        return "0"
