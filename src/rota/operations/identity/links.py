"""The operation that makes a sign-in link: good once, for minutes, with the caller's rights."""

from __future__ import annotations

import msgspec

from rota.clock import moment
from rota.engine.identity.sessions import give_ticket
from rota.engine.identity.tokens import issue, tokens
from rota.engine.runs.find import now_ms
from rota.errors import NotPermitted
from rota.model.identity.credentials import Role, SignInLink
from rota.operations.caller import Caller
from rota.operations.identity.new_tokens import draw_secret, draw_token
from rota.operations.operation import changes, tell
from rota.rules.security.secrets import digest_of
from rota.store.base import Tx

LIFE_MS = 5 * 60_000
OF_STORE: tuple[Role, ...] = ("admin", "exec")
"""The roles behind a link of a program on the store, which may do everything anyway."""
MOST = 500


def without_ticket(link: SignInLink) -> SignInLink:
    """Return a link in the form that may be stored."""
    return msgspec.structs.replace(link, ticket=None)


@changes(
    "POST",
    "/session/link",
    verb="make sign-in link",
    role="viewer",
    subject="",
    kept=without_ticket,
    status=201,
)
def make_link(tx: Tx, caller: Caller) -> SignInLink:
    """Make a ticket for `/login?ticket=...`, which signs one browser in, within five minutes.

    The session has the rights of the token that asks, and ends with it. A session cannot ask: who
    took over a browser would stay signed in by links.
    """
    if caller.credential.is_session:
        raise NotPermitted("a sign-in link is made with a token, not by a session")
    ticket = caller.once("ticket", draw_secret)
    token_id = caller.credential.id or _token_of_store(tx, caller)
    give_ticket(tx, digest_of(ticket), purpose="login", token_id=token_id, ttl_ms=LIFE_MS)
    tell(tx, caller, subject=token_id)
    roles = caller.credential.roles if caller.credential.id else OF_STORE
    return SignInLink(ticket=ticket, roles=roles, expires_at=moment(now_ms(tx) + LIFE_MS))


def _token_of_store(tx: Tx, caller: Caller) -> str:
    """Return the token behind links of this person; nobody knows its secret.

    One token for all links: whoever revokes it ends the sessions of all of them.
    """
    drawn = draw_token(f"links of {caller.actor.who}"[:64], roles=OF_STORE)
    for each in tokens(tx, namespace=caller.namespace, limit=MOST):
        is_same = (each.name, each.roles, each.queues) == (drawn.token.name, OF_STORE, None)
        if is_same and each.expires_at is None:
            return each.id
    made = issue(tx, drawn.token, namespace=caller.namespace, who=caller.actor.who)
    return made.id
