"""Labels, searches and saved views over a socket, with the same words as a program on the store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from rota import App, Client
from rota.errors import BadOption, UnknownView
from rota.model.runs.run import RunView
from tests.api.serving import Served

V1 = "/api/v1"


def submit(client: httpx2.Client, **fields: Any) -> str:
    answer = client.post(f"{V1}/runs", json={"jobId": "add", **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["executionId"])


def found(client: httpx2.Client, **params: Any) -> list[str]:
    answer = client.get(f"{V1}/runs", params=params)
    assert answer.status_code == 200, answer.text
    return [each["executionId"] for each in answer.json()["items"]]


@pytest.fixture(params=["store", "server"])
def here(request: pytest.FixtureRequest, served: Served) -> Iterator[App | Client]:
    """A program on the store, and one of a server."""
    if request.param == "store":
        yield served.app
        return
    with Client(served.address, token=served.token()) as client:
        yield client


def test_labelled_runs_are_found_and_shown(served: Served) -> None:
    client = served.client()
    billing = submit(client, labels={"team": "billing", "amount": 12.0, "urgent": True})
    cheap = submit(client, labels={"team": "billing", "amount": 2})
    submit(client)

    assert found(client, label="team=billing") == [cheap, billing]
    assert found(client, label=["team=billing", "amount>10"]) == [billing]
    assert found(client, label="urgent") == [billing]
    shown = client.get(f"{V1}/runs/{billing}").json()["labels"]
    assert shown == {"team": "billing", "amount": 12, "urgent": True}
    assert client.get(f"{V1}/runs").json()["items"][2]["labels"] == shown


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"labels": {"a b": 1}}, "labels: 'a b' is not a name"),
        ({"labels": {"team": ["x"]}}, "labels: team=['x'] is not a text"),
        ({"labels": {f"l{n}": n for n in range(33)}}, "33 labels are too many"),
    ],
)
def test_bad_labels_are_refused_with_field_and_reason(
    shared: Served, body: dict[str, Any], says: str
) -> None:
    client = shared.client()
    run_id = submit(client)

    submitted = client.post(f"{V1}/runs", json={"jobId": "add", **body})
    changed = client.post(f"{V1}/runs/{run_id}/labels", json=body)

    for answer in (submitted, changed):
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-option")
        assert says in answer.json()["detail"]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"label": "team!=x"}, "is not a condition"),
        ({"arg": "customer"}, "write name=value"),
        ({"view": "nosuch"}, "no saved view is named 'nosuch'"),
    ],
)
def test_bad_filters_are_refused(shared: Served, params: dict[str, str], says: str) -> None:
    answer = shared.client().get(f"{V1}/runs", params=params)

    assert answer.status_code in (400, 404)
    assert says in answer.json()["detail"]


def test_labels_of_a_run_are_changed_and_told_in_the_audit(served: Served) -> None:
    client = served.client()
    run_id = submit(client, labels={"team": "billing", "old": 1})

    changed = client.post(f"{V1}/runs/{run_id}/labels", json={"labels": {"old": None, "new": "x"}})
    again = client.post(f"{V1}/runs/{run_id}/labels", json={"labels": {"new": "x"}})

    assert changed.json()["labels"] == again.json()["labels"] == {"new": "x", "team": "billing"}
    told = [each for each in served.app.audit.list() if each.verb == "label run"]
    assert [(each.subject, each.detail["labels"]) for each in told] == [
        (run_id, {"old": None, "new": "x"})
    ]


def test_who_sees_some_queues_is_told_no_labels_of_others(served: Served) -> None:
    run_id = submit(served.client(), labels={"team": "billing"})
    mail = served.client("operator", queues=["mail"])

    assert mail.get(f"{V1}/labels").json()["items"] == []
    assert found(mail, label="team=billing") == []
    refused = mail.post(f"{V1}/runs/{run_id}/labels", json={"labels": {"a": 1}})
    assert refused.json()["code"] == "unknown-run"


def test_a_viewer_neither_labels_runs_nor_saves_views(shared: Served) -> None:
    run_id = submit(shared.client(), labels={"team": "billing"})
    viewer = shared.client("viewer")

    for answer in (
        viewer.post(f"{V1}/runs/{run_id}/labels", json={"labels": {"a": 1}}),
        viewer.put(f"{V1}/views/mine", json={"filter": {}}),
        viewer.delete(f"{V1}/views/mine"),
    ):
        assert answer.status_code == 403


def test_names_and_values_are_known(served: Served, here: App | Client) -> None:
    client = served.client()
    for customer in ("acme", "axiom", "zen"):
        submit(client, labels={"customer": customer, "n": 1})

    assert here.labels() == ["customer", "n"]
    assert here.labels("customer", prefix="a") == ["acme", "axiom"]


def test_python_searches_alike_through_both_doors(served: Served, here: App | Client) -> None:
    client = served.client()
    first = submit(client, args={"a": 1, "b": 20}, labels={"team": "billing", "amount": 12})
    second = submit(client, args={"a": 2, "b": 20}, labels={"team": "billing"})

    def ids(runs: list[RunView]) -> list[str]:
        return [run.id for run in runs]

    assert ids(here.runs(labels={"team": "billing"})) == [second, first]
    assert ids(here.runs(labels=["team=billing", "amount>10"], since="1h")) == [first]
    assert ids(here.runs(args={"a": 2})) == [second]
    assert ids(here.runs(until=timedelta(hours=1))) == []
    assert here.runs(labels={"amount": 12})[0].labels == {"amount": 12, "team": "billing"}
    assert here.run(first).label(amount=None, team="ops") == {"team": "ops"}
    assert here.run(first).show().labels == {"team": "ops"}
    with pytest.raises(BadOption, match="no filter 'lable'"):
        here.runs(lable="team=billing")


def test_a_saved_view_narrows_a_list_and_is_narrowed_by_it(
    served: Served, here: App | Client
) -> None:
    client = served.client()
    first = submit(client, labels={"team": "billing", "amount": 12})
    second = submit(client, labels={"team": "billing", "amount": 1})
    submit(client, labels={"team": "ops", "amount": 12})

    view = here.views.put("mine", labels=["team=billing"], since="1d", state="queued", note="n")

    assert (view.filter.label, view.filter.since, view.note) == (("team=billing",), "1d", "n")
    assert [each.name for each in here.views.list()] == ["mine"]
    assert [run.id for run in here.runs(view="mine")] == [second, first]
    assert [run.id for run in here.runs(view="mine", labels=["amount>10"])] == [first]
    assert here.runs(view="mine", state="failed") == []
    assert (here.views.remove("mine"), here.views.remove("mine")) == (True, False)
    with pytest.raises(UnknownView):
        here.views.show("mine")


def test_a_view_that_cannot_be_read_is_refused(shared: Served) -> None:
    client = shared.client()
    for wanted, says in (
        ({"since": "soon"}, "neither an instant"),
        ({"label": ["a b"]}, "is not a condition"),
        ({"nosuch": 1}, "nosuch"),
    ):
        answer = client.put(f"{V1}/views/mine", json={"filter": wanted})
        assert answer.status_code == 400
        assert says in answer.json()["detail"]


def test_the_same_view_again_is_no_change(served: Served) -> None:
    client = served.client()
    body = {"filter": {"status": "failed"}, "note": "n"}
    for _ in range(2):
        assert client.put(f"{V1}/views/mine", json=body).status_code == 200

    assert [each.verb for each in served.app.audit.list()].count("put view") == 1


def test_bulk_verbs_take_labels_and_views(served: Served) -> None:
    client = served.client()
    first = submit(client, labels={"team": "billing", "amount": 12})
    second = submit(client, labels={"team": "billing"})
    client.put(f"{V1}/views/mine", json={"filter": {"label": ["team=billing"]}})

    rich = {"view": "mine", "label": ["amount>10"]}
    counted = client.post(
        f"{V1}/runs/bulk/cancel", json={"filter": {"view": "mine"}, "dryRun": True}
    )
    done = client.post(f"{V1}/runs/bulk/cancel", json={"filter": rich})

    assert counted.json()["matched"] == 2
    assert done.json()["done"] == 1
    assert client.get(f"{V1}/runs/{first}").json()["status"] == "cancelled"
    assert client.get(f"{V1}/runs/{second}").json()["status"] == "queued"


def test_jobs_are_listed_by_their_labels(served: Served, here: App | Client) -> None:
    @served.app.job(labels={"team": "billing", "tier": 1})
    def charge() -> None: ...

    @served.app.job
    def plain() -> None: ...

    served.app.define([charge, plain])

    assert [job.name for job in here.definitions.list(labels={"team": "billing"})] == ["charge"]
    assert here.definitions.list(labels=["tier>1"]) == []
    listed = served.client().get(f"{V1}/jobs", params={"label": "team=billing"}).json()["items"]
    assert [(job["name"], job["labels"]) for job in listed] == [
        ("charge", {"team": "billing", "tier": 1})
    ]
