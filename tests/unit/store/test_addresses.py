"""Our own parameters of an address: what they mean, and what is refused."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from rota.errors import BadUrl
from rota.store.open import _split_options
from rota.store.options import PoolOptions
from rota.store.postgres.connections.connector import past

PLAIN = "postgresql://rota:secret@pooler:6432/alias?sslmode=require"


def test_our_parameters_are_taken_out_and_those_of_libpq_stay() -> None:
    address = PLAIN + "&connections=3&prepare=off&direct=db:5433/rota"

    assert _split_options(address) == (
        PLAIN,
        PoolOptions(size=3, prepares=False, direct="db:5433/rota"),
    )


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("connections=0", "must be a positive number"),
        ("connections=six", "must be a positive number"),
        ("prepare=no", "must be on or off"),
        ("direct=postgresql://db/rota", "must name the server behind the pooler"),
        ("direct=db:port", "direct=HOST:5432"),
        ("direct=a b", "must name the server behind the pooler"),
    ],
)
def test_a_bad_address_is_refused(said: str, complaint: str) -> None:
    with pytest.raises(BadUrl, match=complaint):
        _split_options(f"postgresql://db/rota?{said}")


@pytest.mark.parametrize(
    ("direct", "host", "port", "database"),
    [
        ("db", "db", "5432", "alias"),
        ("db:5433", "db", "5433", "alias"),
        ("db/rota", "db", "5432", "rota"),
        (":5433", "pooler", "5433", "alias"),
    ],
)
def test_the_direct_way_differs_in_its_place_only(
    direct: str, host: str, port: str, database: str
) -> None:
    found = conninfo_to_dict(past(PLAIN, direct))

    assert found == {
        "user": "rota",
        "password": "secret",
        "host": host,
        "port": port,
        "dbname": database,
        "sslmode": "require",
    }
