"""Files of anchors, and what they are signed with, as commands are told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rota.cli.options import settings
from rota.errors import BadFile

if TYPE_CHECKING:
    from rota.model.anchor import Anchor


def read_file(
    path: str, flags: dict[str, Any], key_file: str | None, namespace: str
) -> list[Anchor]:
    """The anchors of a namespace, checked against the key if there is one."""
    from rota.rules.anchors import read_anchors

    key = key_of(flags, key_file)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise BadFile(f"cannot read {path}: {said}") from error
    if key is None and '"signature":"' in text:
        print(
            "rota: the anchors are signed, and there is no key to check that with; name it with "
            "--key-file or anchor_key_file",
            file=sys.stderr,
        )
    return read_anchors(text, "stdin" if path == "-" else path, namespace=namespace, key=key)


def key_of(flags: dict[str, Any], key_file: str | None) -> str | None:
    """Of the file that was named, else of the settings."""
    from rota.app.secret_files import anchor_key, read_secret
    from rota.rules.anchors import check_key

    if key_file is not None:
        return check_key(read_secret("--key-file", key_file))
    return anchor_key(settings(flags))
