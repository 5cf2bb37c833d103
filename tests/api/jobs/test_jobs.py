"""The calls of the public specification, word for word, and what is refused around them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx2
import pytest

from rota import App, current_run, progress
from rota.engine.schedules.views import schedules
from rota.model.jobs.spec import JobSpec, PythonTarget
from tests.api.serving import HOME, Served, wait_until

JOBS = "/api/v1/jobs"
IN_A_FOLDER = JobSpec(name="mail/send", target=PythonTarget(ref="mail:send"))
REPORT: dict[str, Any] = {
    "name": "daily-report",
    "schedule": "0 0 * * *",
    "command": "python generate_report.py",
    "dependencies": ["job1", "job2"],
    "retries": 3,
    "timeout": 3600,
}


def define(client: httpx2.Client, **fields: Any) -> httpx2.Response:
    return client.post(JOBS, json={"name": "job1", "command": "true"} | fields)


def test_the_calls_of_the_specification_work_as_written(served: Served) -> None:
    client = served.client("author", "exec")
    for name in ("job1", "job2"):
        assert define(client, name=name).json() == {"jobId": name, "status": "active", "version": 1}

    made = client.post(JOBS, json=REPORT)
    shown = client.get(f"{JOBS}/daily-report").json()
    started = client.post(f"{JOBS}/daily-report/trigger")

    assert made.status_code == 201
    assert {"jobId": "daily-report", "status": "scheduled"}.items() <= made.json().items()
    assert {
        "jobId": "daily-report",
        "status": "scheduled",
        "startedAt": None,
        "progress": None,
    }.items() <= shown.items()
    assert shown["dependencies"] == ["job1", "job2"]
    assert shown["nextFireAt"].endswith("T00:00:00.000Z")
    assert started.json()["status"] == "queued"
    newest = client.get(f"{JOBS}/daily-report").json()
    assert (newest["status"], newest["executionId"]) == (
        "queued",
        started.json()["executionId"],
    )


def test_a_job_with_dependencies_runs_after_them(served: Served, api_url: str) -> None:
    client = served.client("author", "exec")
    for name in ("job1", "job2"):
        define(client, name=name)
    client.post(JOBS, json=REPORT | {"command": ["echo", "done"], "schedule": None})
    run_id = client.post(f"{JOBS}/daily-report/trigger").json()["executionId"]

    with App(api_url) as app:
        worker = app.worker(slots=2, stored=True)
        worker.start()
        try:
            ended = client.get(f"/api/v1/runs/{run_id}?wait=20s").json()
        finally:
            worker.stop()

    assert ended["status"] == "success", ended
    children = client.get("/api/v1/runs?limit=10").json()["items"]
    by_job = {run["jobId"]: run for run in children}
    assert by_job["daily-report.command"]["parentId"] == run_id
    ends = [datetime.fromisoformat(by_job[name]["finishedAt"]) for name in ("job1", "job2")]
    began = datetime.fromisoformat(by_job["daily-report.command"]["startedAt"])
    assert max(ends) <= began


def test_a_running_job_shows_its_progress_in_percent(served: Served, api_url: str) -> None:
    client = served.client("operator")
    with App(api_url) as app:

        @app.job
        def slow() -> None:
            progress(0.5)
            while True:
                current_run().check()

        worker = app.worker(slots=1, heartbeat_ms=100)
        worker.start()
        run_id = client.post(f"{JOBS}/slow/trigger").json()["executionId"]
        try:
            wait_until(lambda: client.get(f"{JOBS}/slow").json()["progress"] == 50)
            shown = client.get(f"{JOBS}/slow").json()
            client.post(f"/api/v1/runs/{run_id}/cancel")
            client.get(f"/api/v1/runs/{run_id}?wait=20s")
        finally:
            worker.stop()

    assert (shown["jobId"], shown["status"]) == ("slow", "running")
    assert shown["startedAt"].endswith("Z")


def test_the_same_definition_is_the_same_version_and_another_one_needs_put(served: Served) -> None:
    client = served.client("author", "exec")
    first = define(client, schedule={"every": "10m"}).json()

    same = define(client, schedule={"every": "10m"}).json()
    other = define(client, command="false")
    put = client.put(f"{JOBS}/job1", json={"name": "job1", "command": "false"})

    assert same == first
    assert (other.status_code, other.json()["code"]) == (409, "not-allowed")
    assert put.json() == {"jobId": "job1", "status": "active", "version": 2}
    assert served.app.store.read(lambda tx: schedules(tx, namespace=HOME)) == []
    misnamed = client.put(f"{JOBS}/job2", json={"name": "job1", "command": "false"})
    assert misnamed.status_code == 400


def test_programs_need_exec_and_requests_do_not(served: Served) -> None:
    client = served.client("author")

    command = define(client)
    hook = {"name": "job1", "http": {"url": "https://example.org/hook"}}
    http = client.post(JOBS, json=hook)

    assert (command.status_code, command.json()["code"]) == (403, "not-permitted")
    assert http.status_code == 201
    assert client.get(f"{JOBS}/job1").json()["url"] == "https://example.org/hook"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": "../etc"}, "not a name for a job"),
        ({"name": "a..b"}, "not a name for a job"),
        ({"name": ""}, "not a name for a job"),
        ({"command": "cat x | sh"}, "no shell"),
        ({"command": "a; rm -rf /"}, "no shell"),
        ({"command": "echo $(id)"}, "no shell"),
        ({"command": []}, "name of a program"),
        ({"command": ["a\0b"]}, "zero byte"),
        ({"command": None}, "null is no definition"),
        ({"http": {"url": "ftp://x"}}, "exactly one"),
        ({"schedule": "0 0 * *"}, ""),
        ({"schedule": "0 0 31 2 *"}, ""),
        ({"timezone": "Europe/Paris"}, "for a schedule"),
        ({"schedule": "0 0 * * *", "timezone": "Mars/Base"}, "Mars/Base"),
        ({"dependencies": ["nope"]}, "no job is named 'nope'"),
        ({"dependencies": ["add"], "command": "echo {x}"}, "takes no arguments"),
        ({"retries": -1}, "retries"),
        ({"timeout": 0}, "is zero"),
        ({"timeout": "soon"}, "soon"),
        ({"retires": 3}, "unknown field `retires`"),
        ({"queue": "a b"}, "queue"),
        ({"env": {"A=B": "x"}}, "not a name for a variable"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused_in_words(
    shared: Served, fields: dict[str, Any], says: str
) -> None:
    client = shared.client("author", "exec")

    answer = define(client, **fields)

    assert answer.status_code == 400, answer.text
    assert says in answer.json()["detail"]
    assert client.get(f"{JOBS}/job1").status_code == 404


def test_a_job_of_code_is_changed_in_the_code(served: Served) -> None:
    client = served.client("author", "exec")
    served.define(origin="code")

    answers = [define(client, name="add"), client.delete(f"{JOBS}/add")]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert all("change it there" in answer.json()["detail"] for answer in answers)


def test_a_removed_job_is_gone_with_its_schedule_and_can_come_back(served: Served) -> None:
    client = served.client("author", "exec")
    define(client, schedule={"every": "1h"})

    gone = client.delete(f"{JOBS}/job1")

    assert gone.json() == {"jobId": "job1", "status": "deleted"}
    assert client.get(f"{JOBS}/job1").status_code == 404
    assert client.post(f"{JOBS}/job1/trigger").json()["code"] == "unknown-job"
    assert served.app.store.read(lambda tx: schedules(tx, namespace=HOME)) == []
    assert define(client).status_code == 201


def test_jobs_are_listed_in_pages_by_name(served: Served) -> None:
    client = served.client("author", "exec")
    for name in ("c", "a", "b"):
        define(client, name=name)

    first = client.get(JOBS, params={"limit": 2}).json()
    rest = client.get(JOBS, params={"limit": 9, "cursor": first["next"]}).json()

    assert [job["jobId"] for job in first["items"]] == ["a", "add"]
    assert [job["jobId"] for job in rest["items"]] == ["b", "c"]
    assert rest["next"] is None


def test_a_name_with_a_slash_is_one_part_of_the_path(served: Served) -> None:
    served.define(spec=IN_A_FOLDER, origin="code")
    client = served.client("operator")

    assert client.get(f"{JOBS}/mail%2Fsend").json()["jobId"] == "mail/send"
    assert client.post(f"{JOBS}/mail%2fsend/trigger").status_code == 201
    assert client.get(f"{JOBS}/mail/send").status_code == 404


def test_a_definition_names_who_is_told_of_failures(served: Served) -> None:
    client = served.client("author", "exec")
    define(client, name="tell", command=["mail", "{job}", "{error_message}"])

    made = define(client, name="load", onFailure="tell")
    whole = define(client, name="report", dependencies=["load"], onFailure="tell")
    shown = client.get(f"{JOBS}/load").json()

    assert (made.status_code, whole.status_code) == (201, 201)
    assert shown["definition"]["onFailure"] == "tell"
    assert client.get(f"{JOBS}/report").json()["definition"]["onFailure"] == "tell"
    assert client.get(f"{JOBS}/report.command").json()["definition"]["onFailure"] is None


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"onFailure": "tel"}, "no job is named 'tel'"),
        ({"onFailure": "load"}, "cannot handle its own failures"),
        ({"onFailure": "other"}, "address"),
    ],
)
def test_an_unfit_on_failure_job_is_refused(served: Served, fields: Any, says: str) -> None:
    client = served.client("author", "exec")
    define(client, name="tell", command=["mail", "{job}"])
    define(client, name="other", command=["mail", "{address}"])

    refused = define(client, name="load", **fields)

    assert refused.status_code == 400
    assert "on_failure" in refused.json()["detail"]
    assert says in refused.json()["detail"]


def test_a_job_out_of_reach_cannot_be_told(served: Served) -> None:
    author = served.client("author", "exec")
    define(author, name="tell", command=["mail", "{job}"], queue="ops")
    narrow = served.client("author", "exec", queues=["default"])

    refused = define(narrow, name="load", onFailure="tell")

    assert refused.status_code == 400
    assert refused.json()["detail"] == "on_failure: no job is named 'tell'."


def test_a_failed_run_tells_which_run_tells_of_it(served: Served, api_url: str) -> None:
    client = served.client("author", "exec")
    define(client, name="tell", command=["echo", "{job}", "{error_type}"])
    define(client, name="load", command="false", retries=0, onFailure="tell")
    run = client.post(f"{JOBS}/load/trigger").json()["executionId"]

    with App(api_url) as app:
        worker = app.worker(slots=2, stored=True)
        worker.start()
        try:
            failed = client.get(f"/api/v1/runs/{run}?wait=20s").json()
            told = client.get(f"/api/v1/runs/{failed['onFailureRun']}?wait=20s").json()
        finally:
            worker.stop()

    assert (failed["status"], failed["failureOf"]) == ("failed", None)
    assert (told["status"], told["failureOf"], told["onFailureRun"]) == ("success", run, None)


def test_a_deadline_is_part_of_a_definition_and_shown_with_each_run(served: Served) -> None:
    client = served.client("author", "exec")
    define(client, deadline="2h", schedule={"cron": "0 0 * * *", "deadline": "07:00 Europe/Paris"})
    started = client.post("/api/v1/schedules/job1/trigger").json()["executionId"]
    plain = client.post("/api/v1/runs", json={"jobId": "job1"}).json()

    shown = client.get(f"{JOBS}/job1").json()["definition"]
    assert (shown["deadline"], shown["schedule"]["deadline"]) == ("2h", "07:00 Europe/Paris")
    assert client.get(f"/api/v1/runs/{started}").json()["deadline"].endswith(":00:00.000Z")
    run = client.get(f"/api/v1/runs/{plain['executionId']}").json()
    lasts = datetime.fromisoformat(run["deadline"]) - datetime.fromisoformat(run["dueAt"])
    assert (lasts.total_seconds(), run["deadlineMissed"]) == (7_200, False)


def test_the_deadline_of_a_job_with_dependencies_is_that_of_the_whole(served: Served) -> None:
    client = served.client("author", "exec")
    define(client)
    define(client, name="after", dependencies=["job1"], deadline="2h")

    assert client.get(f"{JOBS}/after").json()["definition"]["deadline"] == "2h"
    assert client.get(f"{JOBS}/after.command").json()["definition"]["deadline"] is None


def test_a_deadline_that_cannot_be_read_is_refused(served: Served) -> None:
    refused = define(served.client("author", "exec"), deadline="soon")

    assert refused.status_code == 400
    assert "deadline='soon' is not a deadline" in refused.text
