"""The statements for PostgreSQL, by name; with variants for rooms and for restricted logins."""

from __future__ import annotations

from functools import cache

from rota.store.postgres.dialect import DIALECT
from rota.store.postgres.tx import TELLING, TOLD_WITHIN
from rota.store.statements import load, load_logins, load_rooms


@cache
def known() -> dict[str, bytes]:
    texts = {name: each.text.encode() for name, each in load(DIALECT).items()}
    return texts | {f"{name} and tell": TELLING % texts[name] for name in TOLD_WITHIN}


@cache
def known_in_rooms() -> dict[str, bytes]:
    """Return the statements with texts of their own: a kept plan holds for one role only."""
    own = {name: each.text.encode() for name, each in load_rooms(DIALECT).items()}
    texts = {name: each.text.encode() for name, each in load(DIALECT).items()}
    return {name: text + b" /* in a room */" for name, text in (texts | own).items()}


@cache
def known_to(kind: str) -> dict[str, bytes]:
    """Return the statements of a login that lacks permissions on some tables, and has functions."""
    own = load_logins(DIALECT, kind).items()
    return known() | {name: each.text.encode() for name, each in own}
