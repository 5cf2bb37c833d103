"""Options of signing in through an identity provider, and the roles that its groups get here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import msgspec

from rota.errors import BadOption
from rota.model.identity.credentials import PEOPLE, Role
from rota.rules.text.names import check_name


class OidcOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A client of one issuer."""

    issuer: str
    client_id: str
    client_secret: str | None = None
    """None for a public client: its codes are worth nothing without the verifier."""
    claim: str = "roles"
    """The claim of the token that holds the groups of a person; dots lead into objects."""
    roles: Mapping[str, tuple[Role, ...]]
    """The roles that each group gives."""
    namespace: str = "default"


def oidc_options(values: Mapping[str, Any]) -> OidcOptions | None:
    """Read the settings without their prefix; None if none is set.

    BadOption if half is missing.
    """
    set_values = {name: value for name, value in values.items() if value is not None}
    if not set_values:
        return None
    for name in ("issuer", "client_id", "roles"):
        if name not in set_values:
            raise BadOption(f"signing in through an identity provider needs oidc {name}, too")
    if find_spec("joserfc") is None:
        raise BadOption("signing in through an identity provider needs the extra rota[oidc]")
    issuer = str(set_values["issuer"]).rstrip("/")
    is_local = issuer.startswith(("http://127.0.0.1", "http://localhost"))
    if not issuer.startswith("https://") and not is_local:
        raise BadOption(f"oidc issuer: {issuer!r:.140} does not start with https://")
    check_name("namespace", set_values.get("namespace", "default"))
    return OidcOptions(**set_values | {"issuer": issuer, "roles": read_roles(set_values["roles"])})


def read_roles(value: object) -> dict[str, tuple[Role, ...]]:
    """Read `{"rota-admins": ["admin", "exec"]}`, or `rota-admins=admin+exec, staff=viewer`."""
    pairs: Mapping[Any, Any]
    if isinstance(value, str):
        parts = [each.partition("=") for each in value.split(",") if each.strip()]
        pairs = {group.strip(): words.split("+") for group, _, words in parts}
    elif isinstance(value, Mapping):
        pairs = value
    else:
        raise BadOption(f"oidc roles: {value!r:.64} is no table from groups to roles")
    return {str(group): _roles(group, words) for group, words in pairs.items()}


def _roles(group: object, words: object) -> tuple[Role, ...]:
    names = [words] if isinstance(words, str) else words
    if not isinstance(names, list | tuple) or not names:
        raise BadOption(f"oidc roles: {group!r:.64} has no list of roles")
    role_names = [str(name).strip() for name in names]
    for name in role_names:
        if name not in PEOPLE:
            raise BadOption(f"oidc roles: {name!r:.64} is none of {', '.join(PEOPLE)}")
    return tuple(role for role in PEOPLE if role in role_names)
