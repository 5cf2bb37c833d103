"""Two versions of a function that a child process can import."""

from __future__ import annotations


def old_changed(n: int) -> str:
    return f"old {n}"


def new_changed(n: int, m: int) -> str:
    return f"new {n} {m}"
