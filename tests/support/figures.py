"""Measured figures, printed in the output of the test that made them."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """Print a figure, shown with `pytest -rA` or `-s`, and with a test that failed."""
    sys.stdout.write(f"{text}\n")
