"""What a caller may do to a thing now: the user interface shows these verbs and knows no rules."""

from __future__ import annotations

from collections.abc import Iterable

from rota.model.identity import Credential, Role


def offered(credential: Credential, *verbs: str, role: Role = "operator") -> list[str]:
    """The verbs that the state allows, if the credential has the role for them."""
    return list(verbs) if credential.has(role) else []


def joined(*some: Iterable[str]) -> list[str]:
    """Verbs of several roles, in order."""
    return [verb for each in some for verb in each]
