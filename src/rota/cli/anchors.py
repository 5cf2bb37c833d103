"""Anchor files, and the key that signs them, as commands read them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rota.cli.options import settings_of
from rota.errors import BadFile

if TYPE_CHECKING:
    from rota.handles.identity import Audit
    from rota.model.identity.audit import Anchor, ChainVerdict

PAGE = 50


def read_file(
    path: str, flags: dict[str, Any], key_file: str | None, namespace: str
) -> list[Anchor]:
    """Return the anchors of a namespace, checked against the key if there is one."""
    from rota.rules.security.anchors import read_anchors

    key = key_of(flags, key_file)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"cannot read {path}: {reason}") from error
    if key is None and '"signature":"' in text:
        print(
            "rota: the anchors are signed, and there is no key to check that with; name it with "
            "--key-file or anchor_key_file",
            file=sys.stderr,
        )
    return read_anchors(text, "stdin" if path == "-" else path, namespace=namespace, key=key)


def key_of(flags: dict[str, Any], key_file: str | None) -> str | None:
    """Return the key from the file of the flag, otherwise from the settings."""
    from rota.rules.security.anchors import check_key
    from rota.settings.secret_files import anchor_key, read_secret

    if key_file is not None:
        return check_key(read_secret("--key-file", key_file))
    return anchor_key(settings_of(flags))


def keep_ms_of(text: str | None) -> int:
    """Return how long audit entries are kept; workers use the same default unless code sets one."""
    from rota.engine.prune import Retention
    from rota.rules.text.duration import parse_duration

    return Retention().acts_ms if text is None else parse_duration(text)


def kept_until(audit: Audit, verdict: ChainVerdict, keep_ms: int) -> int | None:
    """Return until when the last verified audit entry must stay; None if no entry is left.

    Newer entries may exist. If the last verified one is already gone, the one before it is judged,
    which expires no later.
    """
    before: str | None = None
    while page := audit.list(before=before, limit=PAGE):
        for act in page:
            if act.seq is not None and act.seq <= verdict.seq:
                return act.at.ms + keep_ms
        before = page[-1].id
    return None
