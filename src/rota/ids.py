"""Ids are UUIDv7 made by the client, so a repeated submit is the same row."""

from __future__ import annotations

import uuid_utils


def new_id() -> str:
    """A UUIDv7 as text: unique, and in order of creation."""
    return str(uuid_utils.uuid7())


def is_id(text: str) -> bool:
    """Whether the text has the form of an id."""
    try:
        return str(uuid_utils.UUID(text)) == text
    except ValueError:
        return False
