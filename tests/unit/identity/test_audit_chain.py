"""The hash of an audit entry: entries of before verify for ever, and fields of later are in it."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.identity import audit_chain
from rota.engine.identity.audit_chain import LATER_PARTS, PARTS, _hash
from rota.store.row_shapes import SHAPES

ROW: dict[str, Any] = {
    "id": "019a8f3e-0000-7000-8000-000000000001",
    "at": 1_700_000_000_000,
    "who": "ann",
    "verb": "pause",
    "subject": "mail",
    "detail": '{"n":1}',
    "address": None,
    "request_id": "r-1",
    "before_digest": None,
    "after_digest": "d1",
}
KNOWN = "f9daa41c6251b797c416821c701a817ce5b960976c4a01498a3d6f8f97024ac5"
"""The hash that releases until now gave this entry."""


def hash_of(**changes: Any) -> str:
    return _hash("before", "default", 7, {**ROW, **changes})


def test_an_entry_of_before_still_has_its_hash() -> None:
    assert hash_of() == KNOWN


def test_each_column_of_an_entry_is_in_its_hash() -> None:
    columns = {"at", *SHAPES["act"]} - {"id", "namespace"}

    assert columns == {*PARTS, *LATER_PARTS}
    assert len({hash_of(), *(hash_of(**{part: "other"}) for part in PARTS)}) == 1 + len(PARTS)


def test_a_later_field_counts_where_an_entry_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "LATER_PARTS", ("reason", "place"))

    without = hash_of(reason=None, place=None)
    told = {hash_of(reason="a", place=None), hash_of(reason=None, place="a")}

    assert without == KNOWN
    assert len({without, *told, hash_of(reason="a", place="a")}) == 4
