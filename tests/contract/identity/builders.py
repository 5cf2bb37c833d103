"""Builders for tests about who may do what."""

from __future__ import annotations

import secrets
from typing import Any

from rota.engine.identity.audit_log import Actor
from rota.engine.identity.tokens import NewToken, find_token
from rota.ids import new_id
from rota.model.identity.credentials import Credential, TokenView
from rota.operations.caller import Caller
from rota.operations.identity.new_tokens import give_token
from rota.operations.tools import Tools
from rota.rules.security.secrets import SHOWN, digest_of, token_text
from rota.store.base import Store
from tests.contract.builders import HOME


def caller(who: str = "ann@desk", why: str = "") -> Caller:
    """Somebody who may do everything."""
    own = Credential(id="", who=who, namespace=HOME, roles=("admin", "exec", "audit"))
    actor = Actor(act_id=new_id(), who=who, why=why)
    return Caller(credential=own, actor=actor, tools=Tools())


def given_token(store: Store, *, namespace: str = HOME, **fields: Any) -> tuple[str, TokenView]:
    """The secret of a fresh token, and what is on record of it."""
    secret = token_text(secrets.token_bytes(32))
    given: dict[str, Any] = {"id": new_id(), "name": "ci", "roles": ("operator",)} | fields
    token = NewToken(prefix=secret[:SHOWN], digest=digest_of(secret), **given)
    store.write(lambda tx: give_token(tx, token, namespace=namespace, who="ann@desk"))
    return secret, store.read(lambda tx: find_token(tx, token.id, namespace=namespace))
