"""The depth of a JSON text, found without decoding it, in time linear to its length."""

from __future__ import annotations

_KEEP = b'[]{}"\\'
_DROP = bytes(byte for byte in range(256) if byte not in _KEEP)


def is_deeper(text: bytes, limit: int) -> bool:
    """Whether lists and objects are nested more than `limit` deep."""
    if text.count(b"[") + text.count(b"{") <= limit:
        return False
    outside = text.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _DROP)
    depth = 0
    for part in outside.split(b'"')[::2]:
        for sign in part:
            if sign in b"[{":
                depth += 1
                if depth > limit:
                    return True
            elif sign in b"]}":
                depth -= 1
    return False
