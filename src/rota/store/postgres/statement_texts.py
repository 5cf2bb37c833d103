"""The statements as PostgreSQL gets them, by name; apart for rooms and for logins of few rights."""

from __future__ import annotations

from functools import cache

from rota.store.postgres.dialect import DIALECT
from rota.store.postgres.tx import TELLING, TOLD_WITHIN
from rota.store.statements import load, load_logins, load_rooms


@cache
def known() -> dict[str, bytes]:
    known = {name: each.text.encode() for name, each in load(DIALECT).items()}
    return known | {f"{name} and tell": TELLING % known[name] for name in TOLD_WITHIN}


@cache
def known_in_rooms() -> dict[str, bytes]:
    """The same under texts of their own: a plan that is kept holds for one role only."""
    own = {name: each.text.encode() for name, each in load_rooms(DIALECT).items()}
    known = {name: each.text.encode() for name, each in load(DIALECT).items()}
    return {name: text + b" /* in a room */" for name, text in (known | own).items()}


@cache
def known_to(kind: str) -> dict[str, bytes]:
    """For a login that has no right to some tables, and to functions instead."""
    own = load_logins(DIALECT, kind).items()
    return known() | {name: each.text.encode() for name, each in own}
