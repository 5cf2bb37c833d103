"""New tokens: the secret is made here, shown once and kept nowhere."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.tokens import NewSecret, NewToken, issue
from rota.errors import BadInput
from rota.ids import new_id
from rota.model.identity.credentials import TokenView
from rota.rules.security.identity_options import (
    check_label,
    check_queues,
    check_roles,
    check_worker,
)
from rota.rules.security.secrets import SHOWN, digest_of, token_text
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx
from rota.url_text import to_url_text

ENTROPY = 32
"""Random bytes in a secret."""
LEAST_CHARS = 8
LONGEST_OVERLAP_MS = 30 * 24 * 3_600_000
OVERLAP = "1h"
"""How long two secrets of one token are good by default."""


class Drawn(NamedTuple):
    """A token that is not on record yet, with its secret."""

    secret: str
    token: NewToken


def draw_token(
    name: str,
    *,
    roles: Iterable[str],
    queues: Sequence[str] | None = None,
    expires: str | float | None = None,
    secret: str | None = None,
) -> Drawn:
    """Check what is asked for, and make a secret unless one is brought."""
    text = secret or token_text(secrets.token_bytes(ENTROPY))
    checked, reached = check_roles(roles), check_queues(queues)
    check_worker(checked, reached)
    token = NewToken(
        id=new_id(),
        name=check_label(name),
        prefix=text[:SHOWN] if secret is None else "",
        digest=digest_of(text),
        roles=checked,
        queues=reached,
        ttl_ms=None if expires is None else _ttl_ms(expires),
    )
    return Drawn(text, token)


def detail_of(token: NewToken) -> dict[str, Any]:
    """Return what the audit entry tells of a new token."""
    return {"name": token.name, "roles": token.roles, "queues": token.queues}


def give_token(tx: Tx, token: NewToken, *, namespace: str, who: str) -> None:
    """Issue a token that no caller asks for, such as that of the first start of a server."""
    issue(tx, token, namespace=namespace, who=who)
    by = Actor(act_id=new_id(), who=who)
    detail = detail_of(token)
    record(tx, by, namespace=namespace, verb="create token", subject=token.id, detail=detail)


class DrawnSecret(NamedTuple):
    """The new secret of a token."""

    secret: str
    fresh: NewSecret


def draw_next(expires: str | float | None = None) -> DrawnSecret:
    """A new secret for a token that is there."""
    text = token_text(secrets.token_bytes(ENTROPY))
    ttl_ms = None if expires is None else _ttl_ms(expires)
    fresh = NewSecret(id=new_id(), prefix=text[:SHOWN], digest=digest_of(text), ttl_ms=ttl_ms)
    return DrawnSecret(text, fresh)


def overlap_of(text: str | float) -> int:
    """How long the old secret goes on being good, in milliseconds."""
    ms = parse_duration(text)
    if ms > LONGEST_OVERLAP_MS:
        raise BadInput(f"{text} is too long for two secrets of one token; say 30d or less")
    return ms


def draw_secret() -> str:
    """For a session or a ticket."""
    return to_url_text(secrets.token_bytes(ENTROPY))


def pick(views: Iterable[TokenView], text: str) -> TokenView:
    """The token that is meant by an id, by the end of one, or by how its secret begins."""
    if len(text) < LEAST_CHARS:
        raise BadInput(f"{text!r} is too short for a token; give {LEAST_CHARS} characters of it")
    found = [each for each in views if text in (each.id, each.prefix) or each.id.endswith(text)]
    if len(found) != 1:
        how_many = f"may mean {len(found)} tokens" if found else "is no token of this namespace"
        raise BadInput(f"{text!r:.64} {how_many}; `rota tokens list` shows their ids")
    return found[0]


def _ttl_ms(text: str | float) -> int:
    ms = parse_duration(text)
    if ms == 0:
        raise BadInput("a token that expires at once is of no use; say 90d, or leave it out")
    return ms
