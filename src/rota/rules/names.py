"""Names of jobs, queues, schedules and the like: one rule for all."""

from __future__ import annotations

import re

from rota.errors import BadOption

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")


def check_name(what: str, name: object) -> str:
    """Give back the name of a job or a queue if it is one that fits URLs, files and metrics."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise BadOption(
        f"{name!r:.140} is no name for {_article(what)} {what}: use up to 128 letters, digits "
        "and _ . : / -, starting with a letter, a digit or _"
    )


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
