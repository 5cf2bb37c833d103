"""What is kept by name, calendars and maintenance windows: what may be done, what is told."""

from __future__ import annotations

from rota.api.server.documents import Document
from rota.model.identity import Credential, Role


class Gone(Document):
    """What is off the record."""

    name: str
    removed: bool


def kept_verbs(credential: Credential, role: Role) -> list[str]:
    """Of one that this caller reaches."""
    return ["edit", "delete"] if credential.has(role) else []
