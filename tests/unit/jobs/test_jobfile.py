"""Job files: what they make, and what is refused with file, line, column and field."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadFile, BadOption
from rota.model.jobs.bundle import Bundle
from rota.model.jobs.spec import Breaker, CommandTarget, HttpTarget, PythonTarget
from rota.model.schedules.definitions import Calendar, Cron, Every
from rota.rules.jobs.files.known import (
    DEFAULT_FIELDS,
    JOB_FIELDS,
    OWN_FIELDS,
    SCHEDULE_FIELDS,
    TOP_FIELDS,
)
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.files.schema import job_file_schema
from rota.rules.jobs.files.targets import TARGET_FIELDS
from rota.rules.jobs.files.words import split_words
from tests.support.source import ROOT

FILE = """
bundle: shop
defaults: {queue: night, timezone: Europe/Paris, retries: 1}
calendars:
  company: {country: FR, off: [2026-12-24], weekend: [sat, sun]}
blackouts:
  release: {kind: skip, start: 2026-12-01T00:00Z, end: 2026-12-02T00:00Z, queue: night}
  sundays: {kind: defer, trigger: "0 0 * * sun", duration: 2h, timezone: Europe/Paris}
jobs:
  backup:
    command: pg_dump --file {path} 'my shop'
    env: {PGPORT: 5433}
    cwd: /srv
    ok_codes: 0
    retry_codes: [1, 75]
    arguments: {path: /b/shop.sql}
    retries: 2
    timeout: 1h
    schedule: "0 3 * * *"
    overlap: skip
    calendar: company
  ping:
    http: {url: "https://example.org/{page}", method: get, headers: {X-N: 1}, expect: [200]}
    schedules:
      - {cron: "*/5 * * * *", catchup: none, arguments: {page: a}}
      - {every: 90s, name: ping-often, arguments: {page: b}, jitter: 10s}
      - {every: 1h, arguments: {page: c}}
  send:
    python: shop.mail:send
    parameters: {to: str}
    breaker: {share: 0.5, least: 20}
    schedules:
      monday: {cron: "0 9 * * mon", arguments: {to: ann}}
"""


def read(text: str) -> Bundle:
    return read_bundle(text.encode(), "folder/f.yaml")


def test_jobs_of_every_kind_become_specs() -> None:
    jobs = read(FILE).jobs

    assert jobs["backup"].target == CommandTarget(
        argv=("pg_dump", "--file", "{path}", "my shop"),
        env={"PGPORT": "5433"},
        cwd="/srv",
        ok_codes=(0,),
        retry_codes=(1, 75),
    )
    assert jobs["ping"].target == HttpTarget(
        url="https://example.org/{page}", method="GET", headers={"X-N": "1"}, expect=(200,)
    )
    assert jobs["send"].target == PythonTarget(ref="shop.mail:send")
    assert list(jobs["backup"].parameters) == ["path"]
    assert jobs["send"].parameters == {"to": "str"}
    assert jobs["send"].breaker == Breaker(share=0.5, least=20)


def test_defaults_count_where_a_job_says_nothing() -> None:
    bundle = read(FILE)

    assert {job.queue for job in bundle.jobs.values()} == {"night"}
    assert [job.retry.limit for job in bundle.jobs.values()] == [2, 1, 1]
    assert {each.schedule.zone for each in bundle.schedules.values()} == {"Europe/Paris"}
    assert bundle.jobs["backup"].timeout_ms == 3_600_000


def test_schedules_have_the_name_of_their_job_or_their_own() -> None:
    schedules = read(FILE).schedules

    assert {name: each.job for name, each in schedules.items()} == {
        "backup": "backup",
        "ping": "ping",
        "ping-often": "ping",
        "ping.3": "ping",
        "monday": "send",
    }
    assert schedules["backup"].schedule.trigger == Cron(expression="0 3 * * *")
    assert schedules["backup"].schedule.args == {"path": "/b/shop.sql"}
    assert schedules["backup"].schedule.overlap == "skip"
    assert schedules["ping-often"].schedule.trigger == Every(every="90s")
    assert schedules["ping-often"].schedule.jitter == "10s"


def test_a_bundle_is_named_by_its_file_or_by_itself() -> None:
    assert read("jobs: {}").name == "f.yaml"
    assert read("bundle: mine\njobs: {}").name == "mine"


def test_calendars_and_blackouts_are_read_and_may_be_known_already() -> None:
    bundle = read(FILE)
    text = "jobs: {a: {command: x, schedule: '@daily', calendar: office}}"

    assert bundle.calendars["company"] == Calendar(country="FR", off=("2026-12-24",))
    assert bundle.blackouts["sundays"].kind == "defer"
    known = read_bundle(text.encode(), "f.yaml", calendars={"office": Calendar(country="DE")})
    assert known.schedules["a"].schedule.calendar == "office"
    with pytest.raises(BadFile, match=r"jobs\.a\.calendar"):
        read(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a job file is one YAML document"),
        ("--- {}\n--- {}", "this has 2"),
        ("jobs: 1", "f.yaml:1:1: jobs: 1 is not a mapping"),
        ("job: {}", "there is no 'job' here. Did you mean 'jobs'?"),
        ("bundle: x", "it has no jobs"),
        ("bundle: a b\njobs: {}", "f.yaml:1:1: bundle: 'a b' is not a name"),
        ("jobs: {a: {}}", "jobs.a: it has none of command, http, python"),
        ("jobs: {a: {command: x, http: y}}", "it has command and http"),
        ("jobs: {a: {comand: x}}", "Did you mean 'command'?"),
        ("jobs: {'a b': {command: x}}", "'a b' is not a name for a job"),
        ("jobs: {a: {command: x | y}}", "jobs.a.command: 'x | y' holds '|'"),
        ("jobs: {a: {command: []}}", "at least the name of a program"),
        ("jobs: {a: {command: [x, [y]]}}", "jobs.a.command[2]: ['y'] is not a text"),
        ("jobs: {a: {command: x, env: {A: true}}}", "jobs.a.env.A: True is not a text"),
        ("jobs: {a: {command: x, ok_codes: [300]}}", "jobs.a.ok_codes: exit codes"),
        ("jobs: {a: {command: '{'}}", "lone '{'"),
        ("jobs: {a: {python: m:f, cwd: /}}", "jobs.a.cwd: cwd does not go with python"),
        ("jobs: {a: {python: foo}}", "not module:function"),
        (
            "jobs: {a: {python: 'os.path:join', parameters: {'1': x}}}",
            "not the name of a parameter",
        ),
        ("jobs: {a: {http: ftp://x}}", "does not start with http"),
        ("jobs: {a: {http: {method: GET}}}", "a request needs its url"),
        ("jobs: {a: {http: {url: http://x, method: FLY}}}", "jobs.a.http.method: 'FLY'"),
        ("jobs: {a: {http: {url: http://x, expect: [99]}}}", "statuses are numbers"),
        ("jobs:\n  a:\n    command: x\n    retries: many", "f.yaml:4:5: jobs.a.retries"),
        ("jobs: {a: {command: x, timeout: soon}}", "jobs.a.timeout: timeout: 'soon'"),
        ("jobs: {a: {command: x, queue: [1]}}", "jobs.a.queue"),
        ("jobs: {a: {command: x, priority: {b: 1}}}", "jobs.a.priority"),
        ("jobs: {a: {command: x, breaker: {share: 2}}}", "jobs.a.breaker"),
        ("jobs: {a: {command: x, memory: 1GB, isolation: thread}}", "jobs.a: memory="),
        ("jobs: {a: {command: x, schedule: 0 99 * * *}}", "jobs.a.schedule: cron line"),
        ("jobs: {a: {command: x, schedule: {cron: 0 0 31 2 *}}}", "jobs.a.schedule.cron"),
        ("jobs: {a: {command: x, schedule: {}}}", "it has none of cron, every"),
        ("jobs: {a: {command: x, schedule: [1]}}", "jobs.a.schedule[1]: schedule=1"),
        (
            "jobs: {a: {command: x, schedule: {cron: '@daily', overlap: maybe}}}",
            "jobs.a.schedule.overlap: overlap='maybe' is not one of",
        ),
        ("jobs: {a: {command: x, schedule: '@daily', timezone: Mars}}", "jobs.a.timezone"),
        ("jobs: {a: {command: x, overlap: skip}}", "this is for a schedule"),
        ("jobs: {a: {command: x, arguments: {b: 1}}}", "this is for a schedule"),
        ("jobs: {a: {command: 'x {y}', schedule: '@daily'}}", "jobs.a.schedule"),
        (
            "jobs: {a: {command: 'x {y}', schedule: '@daily', arguments: {y: [1]}}}",
            "jobs.a.arguments",
        ),
        (
            "jobs: {a: {python: m:f, parameters: {b: int}, schedule: '@daily', arguments: {c: 1}}}",
            "got an unexpected keyword argument 'c'",
        ),
        (
            "jobs: {a: {command: x, schedule: '@daily', schedules: []}}",
            "give schedule or schedules, not both",
        ),
        (
            "jobs: {a: {command: x, schedules: {s: '@daily'}}, b: {command: x, schedules: {s: 1}}}",
            "another schedule is named 's'",
        ),
        ("calendars: {x: {weekend: [9]}}\njobs: {}", "calendars.x"),
        ("calendars: {x: FR}\njobs: {}", "a calendar is a mapping"),
        ("blackouts: {x: {kind: maybe}}\njobs: {}", "blackouts.x"),
        ("blackouts: {x: 1}\njobs: {}", "blackouts.x"),
        ("defaults: {command: x}\njobs: {}", "defaults.command: there is no 'command'"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text: str, says: str) -> None:
    if "defaults" in text:
        text = text.replace("jobs: {}", "jobs: {a: {command: x}}")
    with pytest.raises(BadFile) as caught:
        read(text)

    assert str(caught.value).startswith("folder/f.yaml")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]),
        ("grep '$x|y' file", ["grep", "$x|y", "file"]),
        ("cost 5$", ["cost", "5$"]),
        ("a '' b", ["a", "", "b"]),
    ],
)
def test_a_command_line_is_split_as_a_shell_would(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "a > b",
        "a && b",
        "a; b",
        "a $HOME",
        'a "$(b)"',
        "a `b`",
        "a ${B}",
        "(a)",
        "a 'b",
        "",
        "a\nb",
    ],
)
def test_a_command_that_needs_a_shell_is_refused(text: str) -> None:
    with pytest.raises(BadOption):
        split_words(text)


KEYS = sorted({*DEFAULT_FIELDS, *TARGET_FIELDS, *OWN_FIELDS, "cron", "every", "name", "nonsense"})
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["@daily", "1h", "skip", "UTC", "m:f", "http://x", "{a}", "* * * * *", "FR"])
    | st.text(max_size=20),
    lambda each: (
        st.lists(each, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), each, max_size=4)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(sorted(TOP_FIELDS)),
        VALUES | st.dictionaries(st.just("a"), st.dictionaries(st.sampled_from(KEYS), VALUES)),
    )
)
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(document: dict[str, Any]) -> None:
    try:
        found = read(json.dumps(document))
    except BadFile:
        return
    assert document.keys() & {"jobs", "alerts"}
    assert set(found.jobs) == set(document.get("jobs") or ())


def test_the_published_schema_is_that_of_the_code() -> None:
    published = (ROOT / "docs" / "job-file.schema.json").read_text()

    assert published == json.dumps(job_file_schema(), indent=2) + "\n"


def test_the_schema_knows_every_field_and_every_reference_leads_somewhere() -> None:
    schema = job_file_schema()
    text = json.dumps(schema)

    assert set(schema["properties"]) == TOP_FIELDS
    assert set(schema["$defs"]["job"]["properties"]) == (
        JOB_FIELDS | SCHEDULE_FIELDS | TARGET_FIELDS | OWN_FIELDS
    )
    assert set(schema["properties"]["defaults"]["properties"]) == DEFAULT_FIELDS
    assert set(schema["properties"]["defaults"]["properties"]) == DEFAULT_FIELDS
    for name in text.split('"#/$defs/')[1:]:
        assert name.partition('"')[0] in schema["$defs"]


def test_variables_and_the_folder_of_all_commands_may_stand_under_defaults() -> None:
    text = b"""\
defaults: {env: {A: all, B: all}, cwd: /srv, retries: 0}
jobs:
  one: {command: [x]}
  two: {command: [x], env: {B: own}, cwd: /tmp}
  three: {http: "https://example.org/"}
graphs:
  flow: {nodes: {first: {command: [y]}}}
"""
    jobs = read_bundle(text, "f.yaml").jobs

    assert jobs["one"].target == CommandTarget(
        argv=("x",), env={"A": "all", "B": "all"}, cwd="/srv"
    )
    assert jobs["two"].target == CommandTarget(
        argv=("x",), env={"A": "all", "B": "own"}, cwd="/tmp"
    )
    assert jobs["flow.first"].target == CommandTarget(
        argv=("y",), env={"A": "all", "B": "all"}, cwd="/srv"
    )
    assert isinstance(jobs["three"].target, HttpTarget)


def test_a_job_may_say_what_it_is_for() -> None:
    text = b"jobs: {one: {command: [x], description: Cleans up}, two: {command: [x]}}"
    jobs = read_bundle(text, "f.yaml").jobs

    assert jobs["one"].description == "Cleans up"
    assert b"description" not in msgspec.json.encode(jobs["two"])  # as versions before wrote it
    with pytest.raises(BadFile, match="there is no 'description' here"):
        read_bundle(b"defaults: {description: x}\njobs: {a: {command: [x]}}", "f.yaml")
    with pytest.raises(BadFile, match="is not a text"):
        read_bundle(b"jobs: {a: {command: [x], description: [1]}}", "f.yaml")
