"""Actions that a caller may take on a thing now; the user interface shows them without rules."""

from __future__ import annotations

from collections.abc import Iterable

from rota.model.identity.credentials import Credential, Role


def offered(credential: Credential, *verbs: str, role: Role = "operator") -> list[str]:
    """Return the verbs that the state allows, or none if the credential lacks the role for them."""
    return list(verbs) if credential.has(role) else []


def joined(*some: Iterable[str]) -> list[str]:
    """Return the verbs of several roles in one list, in order."""
    return [verb for each in some for verb in each]
