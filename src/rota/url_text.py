"""Bytes as text that fits a header and a link: base64url without its padding."""

from __future__ import annotations

import base64


def to_url_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_url_text(text: str) -> bytes:
    """Return the bytes; ValueError if the text holds none."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
