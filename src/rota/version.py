"""The version of the installed package, read once and late."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """As in the package's metadata; `0` when Rota runs from a folder that was never installed."""
    from importlib import metadata  # noqa: PLC0415  # 13 ms that only a worker's start must pay

    try:
        return metadata.version("rota")
    except metadata.PackageNotFoundError:
        return "0"
