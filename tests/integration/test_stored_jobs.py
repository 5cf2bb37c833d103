"""Jobs that only the store defines: carried out without a restart, by workers that may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rota import App, State
from rota.app.jobs.job import Job
from rota.engine.jobs.definitions import jobs
from rota.engine.workers.registry import workers
from rota.errors import BadArguments, UnknownJob
from rota.model.jobs.apply_plan import Wish
from tests.integration.conftest import Serve
from tests.support import handlers
from tests.support.calls import eventually


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rota.yaml"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that workers of this process can import."""
    (tmp_path / "stored_shop.py").write_text(
        "def add(a: int, b: int = 1) -> int:\n    return a + b\n\n"
        "async def later(a: int) -> int:\n    return a * 2\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "stored_shop"


def bring(app: App, path: Path, text: str, **wish: Any) -> None:
    path.write_text(text)
    app.files.apply([str(path)], Wish(**wish))


def submit(app: App, name: str, **kwargs: Any) -> Any:
    """A run of a job on record, as `rota submit` without an app makes it."""
    from rota.app.jobs.named import recorded_job  # noqa: PLC0415 - the one place that has it

    views = {each.name: each for each in app.store.read(lambda tx: jobs(tx, namespace="default"))}
    job: Job[..., Any] = recorded_job(app, views[name])
    return job.submit(**kwargs)


def test_a_worker_learns_of_a_new_job_and_its_queue(app: App, serve: Serve, path: Path) -> None:
    serve(stored=True)

    bring(app, path, "jobs: {hello: {command: 'echo hello {who}', queue: fresh}}")
    run = submit(app, "hello", who="Ann")

    assert run.result(timeout=20)["stdout"] == "hello Ann\n"
    (worker,) = app.store.read(lambda tx: workers(tx, namespace="default"))
    assert worker.jobs == ("hello",)
    assert "fresh" in worker.queues


def test_a_worker_that_may_not_leaves_them_alone(app: App, serve: Serve, path: Path) -> None:
    @app.job
    def own() -> str:
        return "done"

    bring(app, path, "jobs: {hello: {command: echo hello}}")
    serve()
    run = submit(app, "hello")

    assert own.submit().result(timeout=20) == "done"
    assert run.state is State.QUEUED
    serve(stored=True)
    assert run.result(timeout=20)["stdout"] == "hello\n"


def test_queues_that_were_named_are_all_it_serves(app: App, serve: Serve, path: Path) -> None:
    text = "jobs: {a: {command: echo a, queue: one}, b: {command: echo b, queue: two}}"
    bring(app, path, text)
    serve(stored=True, queues=("one",))
    left = submit(app, "b")

    assert submit(app, "a").result(timeout=20)["stdout"] == "a\n"
    assert left.state is State.QUEUED


def test_runs_stay_with_the_version_they_were_made_for(app: App, serve: Serve, path: Path) -> None:
    bring(app, path, "jobs: {a: {command: echo old}}")
    old = submit(app, "a")
    bring(app, path, "jobs: {a: {command: echo new}}")
    new = submit(app, "a")
    serve(stored=True)

    assert old.result(timeout=20)["stdout"] == "old\n"
    assert new.result(timeout=20)["stdout"] == "new\n"


def test_runs_of_a_removed_job_are_still_carried_out(app: App, serve: Serve, path: Path) -> None:
    bring(app, path, "jobs: {a: {command: echo a}}")
    run = submit(app, "a")
    bring(app, path, "jobs: {}", prune=True)
    serve(stored=True)

    assert run.result(timeout=20)["stdout"] == "a\n"


def test_functions_are_imported(app: App, serve: Serve, path: Path, module: str) -> None:
    bring(
        app,
        path,
        f"jobs: {{add: {{python: '{module}:add', "
        "parameters: {a: int, b: {type: int, default: null}}}, "
        f"later: {{python: '{module}:later', parameters: {{a: int}}}}}}",
    )
    serve(stored=True)

    assert submit(app, "add", a=1, b=2).result(timeout=20) == 3
    assert submit(app, "add", a=1).result(timeout=20) == 2
    assert submit(app, "later", a=21).result(timeout=20) == 42


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_a_declared_default_is_given_to_the_function(
    app: App, serve: Serve, path: Path, module: str, isolation: str
) -> None:
    declared = "parameters: {a: {type: int, default: 5}, b: {type: int, default: 10}}"
    text = f"jobs: {{add: {{python: '{module}:add', isolation: {isolation}, {declared}}}}}"
    bring(app, path, text)
    serve(stored=True)

    assert submit(app, "add").result(timeout=30) == 15
    assert submit(app, "add", b=1).result(timeout=20) == 6


def test_a_declared_parameter_without_a_default_must_be_given(app: App, path: Path) -> None:
    declared = "parameters: {a: int, b: 'int | None'}"
    bring(app, path, f"jobs: {{add: {{python: 'shop:add', {declared}}}}}")

    with pytest.raises(BadArguments, match="missing a required argument: 'b'"):
        submit(app, "add", a=1)
    with pytest.raises(BadArguments, match="a: Expected `int`, got `null`"):
        submit(app, "add", a=None, b=1)
    submit(app, "add", a=1, b=None)


@pytest.mark.parametrize("ref", ["no_such_module:f", "stored_shop:nothing", "stored_shop:__name__"])
def test_a_function_that_is_not_there_fails_its_run_in_words(
    app: App, serve: Serve, path: Path, module: str, ref: str
) -> None:
    bring(app, path, f"jobs: {{a: {{python: '{ref}', retries: 0}}}}")
    serve(stored=True)
    run = submit(app, "a")

    eventually(lambda: run.state is State.FAILED)
    assert "cannot be imported by this worker" in str(run.show().error)
    assert run.show().attempt == 1


def test_code_wins_over_the_store(app: App, serve: Serve, path: Path) -> None:
    bring(app, path, "jobs: {a: {command: echo store}}")

    @app.job
    def a() -> str:
        return "code"

    serve(stored=True)

    assert a.submit().result(timeout=20) == "code"
    (view,) = app.store.read(lambda tx: jobs(tx, namespace="default"))
    assert view.origin == "code"


def test_a_job_that_a_file_took_over_needs_a_worker_that_may(
    app: App, serve: Serve, path: Path
) -> None:
    """Else whoever may apply files decides what the machines of an app run."""
    witness = path.with_name("witness")

    @app.job(retries=0)
    def a() -> str:
        return "code"

    serve()
    assert a.submit().result(timeout=20) == "code"
    text = f"jobs: {{a: {{command: 'touch {witness}', retries: 0}}}}"
    bring(app, path, text, take_over=True)
    refused = submit(app, "a")
    eventually(lambda: refused.state is State.FAILED)

    assert "start one with --stored" in str(refused.show().error)
    assert not witness.exists()
    assert a.submit().result(timeout=20) == "code"


def test_a_job_that_a_file_took_over_runs_where_it_may(app: App, serve: Serve, path: Path) -> None:
    @app.job
    def a() -> str:
        return "code"

    serve(stored=True)
    bring(app, path, "jobs: {a: {command: echo file}}", take_over=True)

    assert submit(app, "a").result(timeout=20)["stdout"] == "file\n"


def test_an_older_command_of_the_code_itself_runs_anywhere(app: App, serve: Serve) -> None:
    with App(app.url) as before:
        old = before.command("a", ["echo", "old"]).submit()
    app.command("a", ["echo", "new"])
    serve()

    assert app.run(old.id).result(timeout=20)["stdout"] == "old\n"


def test_a_schedule_of_a_file_fires_with_its_arguments(app: App, serve: Serve, path: Path) -> None:
    serve(stored=True)
    text = "jobs: {a: {command: 'echo {x}', arguments: {x: 7}, schedule: {every: 1s}}}"
    bring(app, path, text)

    def found() -> list[Any]:
        from rota.engine.runs.lists import runs  # noqa: PLC0415 - only here

        return app.store.read(lambda tx: runs(tx, namespace="default", limit=5))

    eventually(lambda: any(each.state is State.SUCCESS for each in found()))
    done = next(each for each in found() if each.state is State.SUCCESS)
    assert (done.job, done.args) == ("a", '{"x":7}')


def test_an_app_submits_and_triggers_jobs_by_name(store_url: str) -> None:
    with App(store_url) as owner, App(store_url) as other:
        owner.define([owner.job(handlers.add)])

        one = other.submit("add", 1, b=2)
        many = other.submit_many("add", [1, {"a": 2}])
        by_hand = other.trigger("add", a=3)
        own = owner.submit("add", 4)

        wanted = [by_hand.id, *(run.id for run in reversed(many)), one.id]
        assert [run.id for run in other.runs()] == [own.id, *wanted]
        assert by_hand.show().args == '{"a":3}'
        told = [(act.verb, act.subject) for act in other.audit.list() if act.verb == "trigger job"]
        assert told == [("trigger job", "add")]
        with pytest.raises(UnknownJob, match="add"):
            other.submit("ad", 1)
