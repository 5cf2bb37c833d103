"""The option `on_failure`: whom it may name, what those take, and what they are given."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from rota import App, Failure
from rota.app.jobs.definitions import told_jobs
from rota.errors import BadFile, BadOption
from rota.model.jobs.apply_plan import Stored, Wish
from rota.model.jobs.spec import JobSpec
from rota.rules.failures.on_failure import arguments_for, check_told, told_by
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.plan import make_plan
from rota.rules.security.rights import started_by

FAILURE = Failure(
    run_id="r",
    job="charge",
    version=2,
    namespace="default",
    attempt=3,
    reason="retries used up (3)",
    error_type="ValueError",
    error_message="broken",
    failed_at=datetime(2026, 1, 1, tzinfo=UTC),
    logs="rota logs r",
)


def app_of() -> App:
    return App("sqlite:///never-opened.db")


def test_a_job_names_another_by_itself_or_by_its_name() -> None:
    app = app_of()

    @app.job
    def tell(failure: Failure) -> None: ...

    first = app.job(on_failure=tell, name="first")(lambda: None)
    second = app.job(on_failure="tell", name="second")(lambda: None)

    @app.graph(on_failure=tell)
    def third() -> None:
        first()

    assert [told_by(job.spec) for job in (tell, first, second, third.job)] == [
        None,
        "tell",
        "tell",
        "tell",
    ]
    assert told_jobs(app, [first]) == [tell]
    assert set(started_by(third.job.spec)) == {"tell", "first"}


def test_a_job_without_it_keeps_its_definition() -> None:
    app = app_of()
    job = app.job(name="plain")(lambda: None)

    assert b'"on_failure"' not in msgspec.json.encode(job.spec)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("me", "job 'me' cannot handle its own failures"),
        (5, "on_failure=5 is neither a job nor the name of one"),
        ("", "neither a job nor the name of one"),
    ],
)
def test_a_job_that_on_failure_cannot_name_is_refused(given: Any, says: str) -> None:
    with pytest.raises(BadOption, match=says):
        app_of().job(name="me", on_failure=given)(lambda: None)


def takes_failure(failure: Failure) -> None: ...


def takes_facts(job: str, error_message: str, tries: int = 3) -> None: ...


def takes_all(**facts: Any) -> None: ...


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (takes_failure, {"failure"}),
        (takes_facts, {"job", "error_message"}),
        (takes_all, set(Failure.__struct_fields__)),
    ],
)
def test_a_function_is_given_what_it_takes(function: Any, names: set[str]) -> None:
    app = app_of()
    told = app.job(function)
    job = app.job(name="charge", on_failure=told)(lambda: None)

    assert told_jobs(app, [job]) == [told]
    args = arguments_for(told.spec, FAILURE)
    assert args.keys() == names
    assert told.signature.bind((), args)


def test_a_handler_gets_the_failure_as_such() -> None:
    told = app_of().job(takes_failure)

    text = msgspec.json.encode(arguments_for(told.spec, FAILURE)).decode()

    assert told.signature.load(text) == {"failure": FAILURE}


def test_a_function_that_needs_something_else_is_refused() -> None:
    app = app_of()

    @app.job
    def number(failure: int) -> None: ...

    @app.job
    def more(failure: Failure, channel: str) -> None: ...

    @app.job
    def nothing() -> None: ...

    for told, says in ((number, "failure"), (more, "channel"), (nothing, "failure")):
        job = app.job(name=f"of_{told.name}", on_failure=told)(lambda: None)
        with pytest.raises(BadOption, match=rf"job 'of_{told.name}': on_failure: .*{says}"):
            told_jobs(app, [job])


FILE = """
jobs:
  mail:
    command: ["mail", "-s", "{job} failed: {error_type}", "{run_id}"]
  charge:
    command: ["charge"]
    on_failure: mail
graphs:
  nightly:
    on_failure: mail
    nodes: {charge: {}}
"""


def planned(text: str) -> dict[str, JobSpec]:
    bundle = read_bundle(text.encode(), "jobs.yaml")
    make_plan([bundle], Stored(now=0), Wish(), seed=str)
    return dict(bundle.jobs)


def test_a_file_says_it_of_jobs_and_graphs() -> None:
    jobs = planned(FILE)

    assert [told_by(jobs[name]) for name in ("charge", "nightly", "mail")] == ["mail", "mail", None]
    args = arguments_for(jobs["mail"], FAILURE)
    assert args == {"job": "charge", "error_type": "ValueError", "run_id": "r"}


@pytest.mark.parametrize(
    ("old", "new", "error", "says"),
    [
        ("on_failure: mail", "on_failure: mial", BadOption, "no job is named 'mial' in the files"),
        ("on_failure: mail", "on_failure: mial", BadOption, "Did you mean 'mail'"),
        ("{run_id}", "{address}", BadOption, "job 'charge': on_failure: .*address"),
        ("{run_id}", "{failure}", BadOption, "job 'charge': on_failure: .*failure"),
        (
            "    on_failure: mail\ngraphs",
            "    on_failure: charge\ngraphs",
            BadFile,
            "its own failures",
        ),
    ],
)
def test_a_file_that_names_the_wrong_one_is_refused(
    old: str, new: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        planned(FILE.replace(old, new))


def test_a_fact_that_is_not_there_is_an_empty_text_for_a_program() -> None:
    jobs = planned(FILE.replace("{run_id}", "{schedule}"))

    assert arguments_for(jobs["mail"], FAILURE)["schedule"] == ""


def test_a_function_that_a_file_names_alone_is_given_all_of_it() -> None:
    command = FILE.splitlines()[3].strip()
    text = FILE.replace(command, "python: m:f")
    jobs = planned(text)

    check_told(jobs, jobs)
    assert arguments_for(jobs["mail"], FAILURE) == {"failure": FAILURE}


def test_a_default_of_a_file_counts_for_all_but_the_one_it_names_and_nodes() -> None:
    jobs = planned(
        """
defaults: {on_failure: mail}
jobs:
  mail: {command: "mail {job}"}
  charge: {command: charge}
graphs:
  nightly: {nodes: {load: {command: load}}}
"""
    )

    assert {name: told_by(spec) for name, spec in jobs.items()} == {
        "mail": None,
        "charge": "mail",
        "nightly": "mail",
        "nightly.load": None,
    }
