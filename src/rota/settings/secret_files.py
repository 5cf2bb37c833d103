"""Secrets in files: read on demand, never shown."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rota.errors import BadOption

if TYPE_CHECKING:
    from rota.settings.table import Settings

MOST_BYTES = 64 * 1024


def read_secret(setting: str, path: str) -> str:
    """Return the stripped text of a file; BadOption if it is empty or unreadable."""
    try:
        with Path(path).expanduser().open("rb") as file:
            text = file.read(MOST_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadOption(f"{setting}: cannot read {path}: {reason}") from error
    if not text:
        raise BadOption(f"{setting}: {path} is empty")
    return text


def is_open_to_all(path: str) -> bool:
    """Whether everybody on the machine can read a file that belongs to us."""
    facts = Path(path).expanduser().stat()
    return bool(facts.st_mode & stat.S_IROTH) and facts.st_uid == os.getuid()


def anchor_key(settings: Settings) -> str | None:
    """Return the key that signs anchors, or None."""
    from rota.rules.security.anchors import check_key  # noqa: PLC0415  # few have one

    if settings.anchor_key is not None:
        return check_key(settings.anchor_key)
    if settings.anchor_key_file is None:
        return None
    return check_key(read_secret("anchor_key_file", settings.anchor_key_file))


def anchor_options(settings: Settings) -> dict[str, Any]:
    """Return the anchor options of a worker; empty if anchors are off."""
    if settings.anchor is None:
        return {}
    options = {"anchor_every_ms": settings.anchor_every_ms, "anchor_key": anchor_key(settings)}
    return {
        "anchor": settings.anchor,
        **{key: each for key, each in options.items() if each is not None},
    }
