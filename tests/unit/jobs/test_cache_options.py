"""The cache of a job: what it may be, and what is refused with words."""

from __future__ import annotations

from typing import Any

import pytest

from rota import App
from rota.errors import BadFile, BadOption
from rota.model.graphs.graph import Cache
from rota.model.jobs.spec import PolicyChange, RetryPolicy
from rota.rules.jobs.cache_options import parse_cache
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.options import job_options, submit_options


@pytest.mark.parametrize(
    ("given", "cache"),
    [
        (None, None),
        ("1h", Cache(ttl="1h")),
        (90, Cache(ttl="90s")),
        ({"ttl": "1d"}, Cache(ttl="1d")),
        ({}, Cache()),
        (
            {"ttl": "1d", "key": {"$param": "day"}},
            Cache(ttl="1d", key={"$param": "day"}),
        ),
        ({"key": {"$expr": "params.day + '!'"}}, Cache(key={"$expr": "params.day + '!'"})),
        (Cache(ttl="2h"), Cache(ttl="2h")),
    ],
)
def test_a_cache_is_said_in_short_or_at_length(given: Any, cache: Cache | None) -> None:
    assert parse_cache(given, {"day": "str"}) == cache
    assert job_options("j", {"cache": given}).cache == cache


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("soon", "'soon' is not a duration"),
        ("0s", "is zero"),
        (["1h"], 'write "1h"'),
        ({"tll": "1h"}, "unknown field `tll`"),
        ({"key": {"$ref": "load"}}, r"\$ref belongs to a node of a graph"),
        ({"key": {"$item": ""}}, r"\$item belongs to a node of a graph"),
        ({"key": {"$param": "dya"}}, "no parameter 'dya'"),
        ({"key": {"$expr": "params.dya"}}, "dya"),
        ({"key": {"$expr": "params.day +"}}, "key"),
    ],
)
def test_a_bad_cache_option_is_refused(given: Any, words: str) -> None:
    with pytest.raises(BadOption, match=words):
        parse_cache(given, {"day": "str"})


def test_a_key_that_names_no_parameter_is_refused_by_the_app() -> None:
    app = App("sqlite:///x.db")

    with pytest.raises(BadOption, match="no parameter 'dya'"):

        @app.job(cache={"key": {"$param": "dya"}})
        def load(day: str) -> None: ...


def test_a_submit_may_want_it_fresh() -> None:
    fresh = submit_options({"cache": False}, retry=RetryPolicy())

    assert fresh.policy == PolicyChange(fresh=True)
    assert submit_options({"cache": True}, retry=RetryPolicy()).policy is None
    with pytest.raises(BadOption, match="whatever is cached"):
        submit_options({"cache": "1h"}, retry=RetryPolicy())


FILE = """
jobs:
  report:
    command: report {day}
    cache: {ttl: 1h, key: {$param: DAY}}
"""


def test_a_job_file_has_caches_too() -> None:
    bundle = read_bundle(FILE.replace("DAY", "day").encode(), "f.yaml")

    assert bundle.jobs["report"].cache == Cache(ttl="1h", key={"$param": "day"})


def test_a_job_file_with_a_wrong_key_is_refused_where_it_stands() -> None:
    with pytest.raises(BadFile, match=r"f.yaml:5:.*no parameter 'DAY'"):
        read_bundle(FILE.encode(), "f.yaml")
