"""rota.submit(): the same rules as a submit from Python, in plain SQL on PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg
import pytest

from rota.app import App, Job
from rota.engine.jobs.definitions import define
from rota.engine.jobs.weights import choices, set_weights
from rota.errors import DuplicateKey
from rota.model.states import State
from rota.rules.admission.order import CREDIT_MS
from rota.rules.jobs.signature import MAX_ARGS_BYTES
from rota.rules.jobs.weights import point_of
from tests.contract.builders import HOME, run_sql

pytestmark = pytest.mark.postgres
Resize = Job[..., str]


@pytest.fixture
def app(empty_postgres_url: str) -> Iterator[App]:
    with App(empty_postgres_url) as app:
        yield app


@pytest.fixture
def resize(app: App) -> Resize:
    @app.job(queue="images", priority=7, expires="1h", delivery="at_most_once")
    def resize(image: str, width: int = 800) -> str:
        return f"{image} {width}"

    app.define([resize])
    return resize


def call(app: App, text: str) -> str:
    """The id that the function gives."""
    return str(run_sql(app.url, f"select rota.submit({text})")[0][0])


def columns(app: App, run_id: str) -> dict[str, Any]:
    with psycopg.connect(app.url, row_factory=psycopg.rows.dict_row) as session:
        found = session.execute("select * from rota.run where id = %s", (run_id,)).fetchone()
    assert found is not None
    return found


def test_a_run_from_sql_is_as_one_from_python(app: App, resize: Resize) -> None:
    python = columns(app, resize.submit("a.png").id)
    sql = columns(app, call(app, """'resize', '{"image": "a.png"}'"""))

    differs = {name for name in python if python[name] != sql[name]}
    assert differs <= {"id", "created_at", "due_at", "ready_at", "rank", "expires_at"}
    assert sql["rank"] == sql["created_at"] - 7 * CREDIT_MS
    assert sql["expires_at"] == sql["due_at"] + 3_600_000
    assert sql["id"].version == 7


def test_ids_from_sql_are_in_order_of_creation(app: App, resize: Resize) -> None:
    ids = [call(app, """'resize', '{"image": "a"}'""") for _ in range(3)]
    between = resize.submit("b").id

    assert ids[0][:8] <= between[:8]
    assert len(set(ids)) == 3


def test_a_submit_from_sql_is_part_of_the_transaction(app: App, resize: Resize) -> None:
    with psycopg.connect(app.url) as session:
        session.execute("""select rota.submit('resize', '{"image": "a"}')""")
        session.rollback()

    assert run_sql(app.url, "select count(*) from rota.run") == [(0,)]


def test_options_are_named(app: App, resize: Resize) -> None:
    soon = columns(
        app,
        call(
            app,
            "'resize', args => '{}', queue => 'slow', priority => -3, delay => interval '90 s'",
        ),
    )
    at = columns(app, call(app, "'resize', at => timestamptz '2100-01-01 00:00+00'"))

    assert (soon["state"], soon["queue"], soon["priority"]) == ("scheduled", "slow", -3)
    assert soon["due_at"] - soon["created_at"] == 90_000
    assert at["due_at"] == 4_102_444_800_000
    past = columns(app, call(app, "'resize', at => timestamptz '2000-01-01 00:00+00'"))
    assert past["state"] == "queued"


def test_a_key_counts_across_sql_and_python(app: App, resize: Resize) -> None:
    keyed = resize.with_options(key="k")
    python = keyed.submit("a.png", width=3).id
    text = """'resize', '{ "image" : "a.png", "width": 3 }', key => 'k'"""

    assert call(app, text) == python
    with pytest.raises(psycopg.errors.UniqueViolation, match="which has other arguments"):
        call(app, """'resize', '{"image": "b.png"}', key => 'k'""")
    sql = call(app, """'resize', '{"image": "é.png"}', key => 'l'""")
    assert resize.with_options(key="l").submit("é.png").id == sql
    with pytest.raises(DuplicateKey):
        resize.with_options(key="l").submit("other")


def test_a_key_is_free_after_its_window(app: App, resize: Resize) -> None:
    text = """'resize', '{"image": "a"}', key => 'k', key_window => interval '0 s'"""

    assert call(app, text) != call(app, text)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("'resise'", psycopg.errors.UndefinedObject, 'no job named "resise" is known'),
        ("'resize', namespace => 'x'", psycopg.errors.UndefinedObject, 'in namespace "x"'),
        ("'resize', '[1]'", psycopg.errors.InvalidParameterValue, "are an object"),
        ("'resize', null", psycopg.errors.InvalidParameterValue, "are an object"),
        ("'resize', '{bad'", psycopg.errors.InvalidTextRepresentation, "invalid input"),
        ("'resize', queue => 'a b'", psycopg.errors.InvalidParameterValue, "no good"),
        ("'resize', priority => 101", psycopg.errors.InvalidParameterValue, "no good"),
        (
            "'resize', delay => '1 s', at => now()",
            psycopg.errors.InvalidParameterValue,
            "not both",
        ),
        (
            f"""'resize', json_build_object('image', repeat('a', {MAX_ARGS_BYTES}))""",
            psycopg.errors.ProgramLimitExceeded,
            "the limit is 1,000,000",
        ),
    ],
)
def test_nonsense_is_refused_in_words(
    app: App, resize: Resize, text: str, error: type[psycopg.Error], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(app, text)
    assert run_sql(app.url, "select count(*) from rota.run") == [(0,)]


def test_workers_hear_of_it_and_run_it(app: App) -> None:
    double = app.job(name="double")(lambda number: number * 2)
    worker = app.worker(slots=1, poll_ms=60_000)
    worker.start()
    try:
        run = app.run(call(app, """'double', '{"number": 21}'"""))
        assert run.result(timeout=20) == 42
    finally:
        worker.stop()
    assert (run.state, double.name) == (State.SUCCESS, "double")


def test_runs_from_sql_are_shared_out_between_versions_as_those_from_python(
    app: App, resize: Resize
) -> None:
    first = resize.spec
    second = msgspec.structs.replace(first, queue="new", priority=1)
    app.store.write(lambda tx: define(tx, second, namespace=HOME))
    app.store.write(lambda tx: set_weights(tx, "resize", {1: 50, 2: 50}, namespace=HOME))
    choice = app.store.read(lambda tx: choices(tx, ["resize"], namespace=HOME))["resize"]

    for number in range(20):
        key = f"order é {number}"
        row = columns(app, call(app, f"""'resize', '{{"image": "a"}}', key => '{key}'"""))
        version, spec = choice.at(point_of(f"resize\n{key}"))
        assert (row["version"], row["queue"], row["priority"]) == (
            version,
            spec.queue,
            spec.priority,
        )
    without = Counter(
        columns(app, call(app, """'resize', '{"image": "a"}'"""))["version"] for _ in range(60)
    )
    assert 5 < without[1] < 55
    assert without[1] + without[2] == 60


def test_labels_from_sql_are_those_of_the_job_and_the_submit(app: App) -> None:
    @app.job(labels={"team": "billing", "tier": 1})
    def pay(order: int) -> None: ...

    app.define([pay])
    given = """'{"tier": 2.0, "ratio": 0.5, "urgent": true}'"""

    plain = call(app, """'pay', '{"order": 1}'""")
    own = call(app, f"""'pay', '{{"order": 1}}', labels => {given}""")

    assert app.run(plain).show().labels == {"team": "billing", "tier": 1}
    labels = app.run(own).show().labels
    assert labels == {"ratio": 0.5, "team": "billing", "tier": 2, "urgent": True}
    assert isinstance(labels["tier"], int)
    assert [run.id for run in app.runs(labels={"tier": 2})] == [own]


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ("[]", "labels are an object"),
        ('{"a b": 1}', 'label "a b" has a bad name or value'),
        ('{"a": ""}', 'label "a" has a bad name or value'),
        ('{"a": null}', 'label "a" has a bad name or value'),
        ('{"a": [1]}', 'label "a" has a bad name or value'),
        ('{"a": 9007199254740993}', 'label "a" has a bad name or value'),
        ("{" + ", ".join(f'"l{n}": 1' for n in range(33)) + "}", "more than 32 labels"),
    ],
)
def test_bad_labels_from_sql_are_refused(app: App, resize: Resize, labels: str, says: str) -> None:
    with pytest.raises(psycopg.Error, match=says):
        call(app, f"""'resize', '{{"image": "a"}}', labels => '{labels}'""")
