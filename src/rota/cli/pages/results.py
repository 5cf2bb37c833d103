"""Results on a terminal, for people: secrets in them are masked, as they are in logs."""

from __future__ import annotations

import os
import sys


def masked(text: str) -> str:
    """With `***` for what the environment of this command names secret, and what looks so."""
    from rota.runtime.logs.masking import Masker

    return Masker.of(os.environ)(text)


def print_result(result: str | None) -> None:
    """Masked on a terminal; a pipe or a file is for programs, and gets the value as it is."""
    text = result or "null"
    print(masked(text) if sys.stdout.isatty() else text)
