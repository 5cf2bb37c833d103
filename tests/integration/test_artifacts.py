"""Large results, carried out by a real worker: kept in a folder, in S3 or in the database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota import App, current_run
from rota.engine.prune import Retention
from rota.engine.runs.find import find
from rota.errors import ArtifactLost, RunFailed
from rota.model.values.artifact import LARGE, is_pointer, read_pointer
from rota.runtime.chores.artifacts import Sweeper
from rota.runtime.options import WorkerOptions
from rota.runtime.values.backends import open_artifacts
from tests.integration.conftest import FAST, Serve
from tests.support.object_store import BUCKET, object_store, variables

LIMIT = 60
BIG = 3 * LARGE


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    with object_store() as endpoint:
        yield endpoint


@pytest.fixture(params=["folder", "s3", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The setting, for each place that values may be kept in."""
    if request.param == "s3":
        for name, value in variables(request.getfixturevalue("endpoint")).items():
            monkeypatch.setenv(name, value)
    said = {
        "folder": str(tmp_path / "kept"),
        "s3": f"s3://{BUCKET}/{tmp_path.name}",
        "database": "database",
    }[request.param]
    monkeypatch.setenv("ROTA_ARTIFACTS", said)
    return str(request.param)


def text(size: int) -> str:
    return "x" * size


def apart(size: int) -> str:
    return "y" * size


def length(of: str) -> int:
    return len(of)


def lengths(of: list[str]) -> list[int]:
    return [len(each) for each in of]


def rows(count: int) -> dict[str, Any]:
    return {"rows": [f"{number:0100d}" for number in range(count)], "count": count}


def report() -> str:
    before = current_run().last_result()
    return f"{len(before)}" if before else "x" * BIG


def make(app: App) -> None:
    for function in (text, length, lengths, rows):
        app.job(function)
    app.job(isolation="process", retries=0)(apart)
    app.job(isolation="process", retries=0, schedule="0 0 29 2 *")(report)
    jobs = app.jobs

    @app.graph
    def flow(size: int) -> Any:
        return jobs["length"](jobs["text"](size))

    @app.graph
    def whole(size: int) -> Any:
        return jobs["text"](size)

    @app.graph
    def two(size: int) -> Any:
        return {"first": jobs["text"](size), "second": [jobs["text"](size)]}

    @app.graph
    def spread(sizes: list[int]) -> Any:
        return jobs["lengths"](jobs["text"].map(sizes))

    @app.graph
    def over(count: int) -> Any:
        found = jobs["rows"](count)
        return jobs["length"].node(when=found["count"] > 1).map(found["rows"])

    @app.graph
    def outer(size: int) -> Any:
        return jobs["length"](whole(size))


@pytest.fixture
def kept(store_url: str, place: str) -> Iterator[App]:
    with App(store_url) as app:
        make(app)
        worker = app.worker(WorkerOptions(**FAST))
        worker.start()
        yield app
        worker.hurry()
        worker.stop()


def stored(app: App, run_id: str) -> str:
    """What stands in the row."""
    view = app.store.read(lambda tx: find(tx, run_id, namespace=app.namespace))
    return view.result or ""


def test_a_large_result_is_where_it_should_be_and_comes_back(kept: App, place: str) -> None:
    for name, letter in (("text", "x"), ("apart", "y")):
        run = kept.jobs[name].submit(BIG)

        assert run.result(timeout=LIMIT) == letter * BIG
        pointer = stored(kept, run.id)
        assert is_pointer(pointer)
        assert read_pointer(pointer).place == ("d" if place == "database" else "a")
        assert run.show().result == json.dumps(letter * BIG)


def test_a_small_result_stays_in_its_row(kept: App) -> None:
    run = kept.jobs["text"].submit(10)

    assert run.result(timeout=LIMIT) == "x" * 10
    assert stored(kept, run.id) == json.dumps("x" * 10)


def test_large_arguments_come_back(kept: App) -> None:
    run = kept.jobs["length"].submit("z" * BIG)

    assert run.result(timeout=LIMIT) == BIG
    assert run.show().args == json.dumps({"of": "z" * BIG}, separators=(",", ":"))


@pytest.mark.parametrize(
    ("graph", "given", "expected"),
    [
        ("flow", BIG, BIG),
        ("whole", BIG, "x" * BIG),
        ("two", BIG, {"first": "x" * BIG, "second": ["x" * BIG]}),
        ("spread", [1, BIG, 2, BIG + 1], [1, BIG, 2, BIG + 1]),
        ("over", 1_000, [100] * 1_000),
        ("outer", BIG, BIG),
    ],
)
def test_nodes_take_large_results_from_each_other(
    kept: App, graph: str, given: Any, expected: Any
) -> None:
    run = kept.graphs[graph].submit(given)

    assert run.result(timeout=LIMIT) == expected


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROTA_ARTIFACTS", str(tmp_path / "kept"))
    return tmp_path / "kept"


def objects(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_missing_object_is_told_with_its_run_and_hash(
    folder: Path, app: App, serve: Serve
) -> None:
    make(app)
    serve()
    run = app.jobs["text"].submit(BIG)
    run.wait(timeout=LIMIT)
    (path,) = objects(folder)
    path.unlink()

    with App(app.url) as other, pytest.raises(ArtifactLost) as lost:
        other.run(run.id).result()

    assert f"the result of run {run.id} (sha256 {path.name}) is not in {folder}" in str(lost.value)
    with App(app.url) as other:
        assert is_pointer(other.run(run.id).show().result)  # people can still look at it


@pytest.mark.parametrize("content", [b"", b'"other"'])
def test_a_damaged_object_fails_the_node_that_needs_it(
    folder: Path, app: App, serve: Serve, content: bytes
) -> None:
    make(app)

    @app.job
    def damage(after: str) -> str:
        for path in objects(folder):
            path.write_bytes(content)
        return after

    @app.graph
    def broken(size: int) -> Any:
        found = app.jobs["text"](size)
        between = damage.node(after=[found])("x")
        return app.jobs["length"].node(after=[between])(found)

    serve()
    run = broken.submit(BIG)

    with pytest.raises(RunFailed) as failed:
        run.result(timeout=LIMIT)

    assert "ArtifactLost: an argument of node 'length' (sha256 " in str(failed.value)
    assert "is damaged in" in str(failed.value)


def test_a_store_that_takes_nothing_costs_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_url: str
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("ROTA_ARTIFACTS", str(blocked / "kept"))
    with App(store_url) as app:
        make(app)
        worker = app.worker(WorkerOptions(**FAST))
        worker.start()
        try:
            run = app.jobs["text"].submit(BIG)

            assert run.result(timeout=LIMIT) == "x" * BIG
            assert read_pointer(stored(app, run.id)).place == "d"
        finally:
            worker.hurry()
            worker.stop()


def test_a_retry_writes_the_same_object(folder: Path, app: App, serve: Serve) -> None:
    @app.job
    def again() -> str:
        return "x" * BIG

    serve()
    for _ in range(3):
        again.submit().wait(timeout=LIMIT)

    assert len(objects(folder)) == 1


def test_the_last_result_of_a_schedule_may_be_large(folder: Path, app: App, serve: Serve) -> None:
    make(app)
    serve()
    name = next(iter(app.schedules.list())).name
    first = app.schedules.trigger(name)
    assert first is not None
    first.wait(timeout=LIMIT)
    second = app.schedules.trigger(name)

    assert second is not None
    assert second.result(timeout=LIMIT) == str(BIG)


@pytest.mark.parametrize("place", ["folder", "s3"], indirect=True)
def test_old_objects_that_nothing_mentions_are_removed(kept: App, place: str) -> None:
    run = kept.jobs["text"].submit(BIG)
    run.wait(timeout=LIMIT)
    pointer = read_pointer(stored(kept, run.id))
    artifacts = kept.artifact_store.artifacts
    assert artifacts is not None
    artifacts.put("2020-01-01", "0" * 64, b"an orphan")
    artifacts.put("2020-01-02", pointer.digest, b"of another day")
    artifacts.put(pointer.day, "1" * 64, b"written today, and perhaps mentioned soon")

    Sweeper(kept.store, Retention(), artifacts).batch()

    assert artifacts.days() == [pointer.day]
    left = {digest for page in artifacts.digests(pointer.day) for digest in page}
    assert left == {"1" * 64, pointer.digest}
    assert run.result() == "x" * BIG


def test_a_store_that_does_not_answer_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables("http://127.0.0.1:1").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("rota.runtime.values.object_store.RETRY_S", 0)
    monkeypatch.setattr("rota.runtime.values.object_store.RETRIES", 0)
    artifacts = open_artifacts("s3://bucket/prefix", beside=None)
    assert artifacts is not None

    with pytest.raises(OSError, match="s3://bucket/prefix"):
        artifacts.get("2026-11-16", "0" * 64)
