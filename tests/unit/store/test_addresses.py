"""Our own parameters of an address: what they mean, and what is refused."""

from __future__ import annotations

import subprocess
import sys

import pytest
from psycopg.conninfo import conninfo_to_dict

from rota.errors import BadUrl
from rota.store.kinds import BY_SCHEME, KINDS, kind_of
from rota.store.options import PoolOptions
from rota.store.postgres.connections.connector import past
from rota.store.postgres.opening import split_options

PLAIN = "postgresql://rota:secret@pooler:6432/alias?sslmode=require"


def test_our_parameters_are_taken_out_and_those_of_libpq_stay() -> None:
    address = PLAIN + "&connections=3&prepare=off&direct=db:5433/rota"

    assert split_options(address) == (
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
        split_options(f"postgresql://db/rota?{said}")


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


@pytest.mark.parametrize("url", ["mysql://db/rota", "rota.db", "", "file:///rota.db"])
def test_an_unknown_scheme_names_those_that_work(url: str) -> None:
    with pytest.raises(BadUrl, match="starts with sqlite:/// or postgresql://, for example"):
        kind_of(url)


def test_each_kind_of_store_is_found_by_its_schemes_and_has_its_dialect() -> None:
    found = {scheme: kind_of(f"{scheme}://db/rota").name for scheme in BY_SCHEME}

    assert found == {"sqlite": "sqlite", "postgresql": "postgres", "postgres": "postgres"}
    assert {kind.opening.DIALECT.name for kind in KINDS} == {kind.name for kind in KINDS}


def test_the_dialect_of_an_address_is_known_without_a_driver() -> None:
    code = "import sys; from rota.store.kinds import KINDS; [k.opening for k in KINDS];"
    code += "sys.exit('psycopg' in sys.modules or 'apsw' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
