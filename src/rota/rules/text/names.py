"""Names and keys that people choose, fit for URLs, files and metrics."""

from __future__ import annotations

import re

from rota.errors import BadOption

MAX_KEY_CHARS = 200
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")


def check_name(what: str, name: object) -> str:
    """Return the name of a job or a queue if it fits URLs, files and metrics."""
    if isinstance(name, str) and _NAME.fullmatch(name) and ".." not in name:
        return name
    article = "an" if what[0] in "aeiou" else "a"
    raise BadOption(
        f"{name!r:.140} is no name for {article} {what}: use up to 128 letters, digits "
        "and _ . : / -, starting with a letter, a digit or _, without two dots in a row"
    )


def check_release(release: object) -> str:
    """Return the name of a deploy if it can be shown on a line."""
    is_text = isinstance(release, str) and release.isprintable() and release.strip()
    if not isinstance(release, str) or not is_text or len(release) > MAX_KEY_CHARS:
        raise BadOption(
            f"release={release!r:.64} is not a text of 1 to {MAX_KEY_CHARS} printable characters"
        )
    return release


def check_key(key: object) -> str:
    """Return a valid idempotency key unchanged."""
    if not isinstance(key, str) or not key.isprintable() or not 0 < len(key) <= MAX_KEY_CHARS:
        raise BadOption(
            f"key={key!r:.64} is not a text of 1 to {MAX_KEY_CHARS} printable characters"
        )
    return key
