"""Measured figures, told on the output of the test that made them."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """Shown with `pytest -rA` or `-s`, and with a test that failed."""
    sys.stdout.write(f"{text}\n")
