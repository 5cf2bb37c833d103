"""The version of the installed package, read once and on demand."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """Return the version in the package's metadata; `0` if Rota runs without being installed."""
    from importlib import metadata  # noqa: PLC0415  # 13 ms that only a worker's start must pay

    try:
        return metadata.version("rota")
    except metadata.PackageNotFoundError:
        return "0"
