"""Templates of jobs over HTTP: values go in, and a definition comes out."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.identity.audit_log import acts
from tests.api.serving import HOME, Served

JOBS = "/api/v1/jobs"
TEMPLATES = "/api/v1/templates"
HOOK: dict[str, Any] = {"name": "hook", "http": {"url": "https://example.org/1"}}
BACKUP: dict[str, Any] = {
    "description": "a dump of one database",
    "parameters": {
        "db": {"description": "which one"},
        "keep": {"type": "integer", "default": 7},
        "zone": {"choices": ["UTC", "Europe/Paris"], "default": "UTC"},
    },
    "definition": {
        "name": "backup-${db}",
        "command": "dump ${db} --keep ${keep} --cost $$1",
        "retries": "${keep}",
        "schedule": "0 3 * * *",
        "timezone": "${zone}",
    },
}


def test_a_template_becomes_a_job(served: Served) -> None:
    client = served.client("author", "exec")
    put = client.put(f"{TEMPLATES}/backup", json=BACKUP)
    assert put.status_code == 200, put.text

    made = client.post(
        f"{TEMPLATES}/backup/instantiate", json={"parameters": {"db": "shop {x} 'y"}}
    )
    named = client.post(f"{TEMPLATES}/backup/instantiate", json={"parameters": {"db": "shop"}})

    assert made.status_code == 400, "the name of the job is checked as any other"
    assert named.json() == {"jobId": "backup-shop", "status": "scheduled", "version": 1}
    shown = client.get(f"{JOBS}/backup-shop").json()
    assert shown["command"] == ["dump", "shop", "--keep", "7", "--cost", "$1"]
    assert (shown["retries"], shown["scheduleNames"]) == (
        7,
        ["backup-shop"],
    )
    told = client.get(f"{TEMPLATES}/backup").json()
    assert told["parameters"]["required"] == ["db"]
    assert told["verbs"] == ["edit", "delete", "instantiate"]


def test_a_value_in_a_command_stays_one_word(served: Served) -> None:
    client = served.client("author", "exec")
    template = {
        "parameters": {"name": {}, "what": {}},
        "definition": {"name": "${name}", "command": "echo ${what} {day}"},
    }
    client.put(f"{TEMPLATES}/echo", json=template)

    client.post(
        f"{TEMPLATES}/echo/instantiate",
        json={"parameters": {"name": "e", "what": "a b; rm {x} '"}},
    )

    shown = client.get(f"{JOBS}/e").json()
    assert shown["command"] == ["echo", "a b; rm {{x}} '", "{day}"]
    assert list(shown["parameters"]) == ["day"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs the parameter db"),
        ({"db": 1}, "no string"),
        ({"db": "x", "keep": True}, "no integer"),
        ({"db": "x", "zone": "Mars"}, "not one of"),
        ({"db": "x", "kep": 1}, "Did you mean 'keep'"),
    ],
)
def test_values_that_do_not_fit_are_refused(
    shared: Served, given: dict[str, Any], says: str
) -> None:
    client = shared.client("author", "exec")
    client.put(f"{TEMPLATES}/backup", json=BACKUP)

    answer = client.post(f"{TEMPLATES}/backup/instantiate", json={"parameters": given})

    assert (answer.status_code, answer.json()["code"]) == (422, "bad-arguments"), answer.text
    assert says in answer.json()["detail"]


def test_templates_obey_etags_and_are_on_record(served: Served) -> None:
    client = served.client("author")
    template = {"definition": HOOK}
    client.put(f"{TEMPLATES}/t", json=template)
    etag = client.get(f"{TEMPLATES}/t").headers["ETag"]
    client.put(f"{TEMPLATES}/t", json=template | {"description": "other"})

    late = client.delete(f"{TEMPLATES}/t", headers={"If-Match": etag})
    gone = client.delete(f"{TEMPLATES}/t")

    assert (late.status_code, gone.json()) == (412, {"name": "t", "removed": True})
    verbs = [act.verb for act in served.app.store.read(lambda tx: acts(tx, namespace=HOME))]
    assert verbs[:3] == ["remove template", "put template", "put template"]


@pytest.mark.parametrize(
    ("definition", "parameters", "facts"),
    [
        ({"http": {"url": "https://${host}"}}, {}, {"field": "http.url"}),
        ({"command": "true", "queue": "a $ b"}, {}, {"field": "queue"}),
        ({"command": "true"}, {"n": {}}, {"parameter": "n"}),
        ({"command": "true"}, {"a b": {}}, {"parameter": "a b"}),
        (
            {"command": "echo ${n}"},
            {"n": {"type": "integer", "default": "x"}},
            {"parameter": "n"},
        ),
    ],
)
def test_a_refusal_names_the_field_or_the_parameter_for_programs(
    served: Served, definition: dict[str, Any], parameters: dict[str, Any], facts: dict[str, str]
) -> None:
    body = {"definition": {"name": "x", **definition}, "parameters": parameters}

    refused = served.client("author", "exec").put(f"{TEMPLATES}/x", json=body)

    assert refused.status_code in (400, 422)
    assert refused.json()["facts"] == facts
