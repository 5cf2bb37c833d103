"""Results on a terminal, for people: secrets in them are masked, as in logs."""

from __future__ import annotations

import os
import sys


def masked(text: str) -> str:
    """Mask with `***` the secrets in this command's environment, and text that looks secret."""
    from rota.runtime.logs.masking import Masker

    return Masker.of(os.environ)(text)


def print_result(result: str | None) -> None:
    """Print a result, masked on a terminal; a pipe or a file gets the value unchanged."""
    text = result or "null"
    print(masked(text) if sys.stdout.isatty() else text)
