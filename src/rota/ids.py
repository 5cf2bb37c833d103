"""Ids are UUIDv7 that the client makes, so a repeated submit is the same row."""

from __future__ import annotations

import hashlib

import uuid_utils


def new_id() -> str:
    """Return a UUIDv7 as text: unique, and in order of creation."""
    return str(uuid_utils.uuid7())


def derived_id(at_ms: int, turn: int, text: str) -> str:
    """Return a UUIDv7 of a moment and a position in it; its other bits derive from the text."""
    bits = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 2
    digits = f"{at_ms << 80 | 0x7 << 76 | (turn & 0xFFF) << 64 | 0b10 << 62 | bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def first_id(at_ms: int) -> str:
    """Return the smallest id of a moment; ids made at this moment or later are not smaller."""
    digits = f"{max(0, at_ms) << 80:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def made_at(run_id: str) -> int:
    """Return the moment in an id, in milliseconds."""
    return int(run_id[:8] + run_id[9:13], 16)


def is_id(text: str) -> bool:
    """Whether the text has the form of an id."""
    try:
        return str(uuid_utils.UUID(text)) == text
    except ValueError:
        return False
