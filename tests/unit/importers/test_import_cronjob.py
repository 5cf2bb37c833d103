"""Kubernetes CronJobs: manifests become jobs that behave as the controller did."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rota.errors import BadFile
from rota.rules.jobs.importers.cronjob import read_cronjobs
from tests.support.imports import fire_times, named

CRONJOBS = b"""\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "30 2 * * *"
  timeZone: America/New_York
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 300
  suspend: true
  jobTemplate:
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 600
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: report
            image: shop/report:3
            command: [python, -m, report]
            args: ["--region", "$(REGION)", "$$(REGION)", "{x}"]
            workingDir: /app
            env:
            - {name: REGION, value: eu}
            - {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}
            resources: {limits: {memory: 1Gi}}
---
apiVersion: v1
kind: ConfigMap
data: {on: "1"}
---
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: entrypoint}
  spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {containers: [{image: x}]}}}}}
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: plain}
  spec:
    schedule: "*/10 * * * *"
    concurrencyPolicy: Replace
    jobTemplate:
      spec:
        template: {spec: {containers: [{image: busybox, command: [date]}]}}
"""


def test_a_cronjob_becomes_a_command() -> None:
    entries = named(read_cronjobs(CRONJOBS, "c.yaml"))
    job = entries["report"].job

    assert list(entries) == ["report", "plain"]
    assert job["command"] == ["python", "-m", "report", "--region", "eu", "$(REGION)", "{{x}}"]
    assert job["env"] == {"REGION": "eu"}
    assert job["cwd"] == "/app"
    assert (job["retries"], job["retry_delay"], job["retry_cap"]) == (2, "10s", "6m")
    assert (job["timeout"], job["retry_within"]) == ("600s", "600s")


def test_the_policies_of_kubernetes_are_kept() -> None:
    entries = named(read_cronjobs(CRONJOBS, "c.yaml"))

    assert entries["report"].job["schedule"] == {
        "cron": "30 2 * * *",
        "dialect": "kubernetes",
        "timezone": "America/New_York",
        "gap": "skip",
        "fold": "both",
        "overlap": "newest",
        "catchup": "last",
        "start_within": "300s",
        "paused": True,
    }
    assert entries["plain"].job["schedule"]["overlap"] == "cancel_old"
    assert entries["plain"].job["schedule"]["timezone"] == "UTC"
    assert "secret" in str(entries["report"].notes)


def test_dst_days_of_a_cronjob_are_those_of_its_controller() -> None:
    """[DST-01] and [DST-02]: not in the gap, twice in the fold."""
    found = read_cronjobs(CRONJOBS.replace(b"30 2", b"30 1"), "c.yaml")

    fold = fire_times(found, "report", datetime(2024, 11, 3, 4, tzinfo=UTC), 2)
    gap = fire_times(
        read_cronjobs(CRONJOBS, "c.yaml"), "report", datetime(2024, 3, 9, 12, tzinfo=UTC), 1
    )

    assert fold == ["2024-11-03T05:30", "2024-11-03T06:30"]
    assert gap == ["2024-03-11T06:30"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((b"command: [date]", b"args: [x]"), "entrypoint"),
        ((b"[{image: busybox, command: [date]}]", b"[{image: a}, {image: b}]"), "several"),
        ((b"[{image: busybox, command: [date]}]", b"[]"), "no containers"),
        ((b"command: [date]", b"command: date"), "lists of texts"),
        ((b"concurrencyPolicy: Replace", b"concurrencyPolicy: Maybe"), "not known"),
        ((b"spec:\n        template", b"spec:\n        completions: 3\n        template"),
         "above 1"),
        ((b'"*/10 * * * *"', b"5"), "no schedule"),
        ((b'"*/10 * * * *"', b'"61 * * * *"'), "not between 0 and 59"),
        ((b'"*/10 * * * *"', b'"0 0 * * 7"'), ""),
    ],
)  # fmt: skip
def test_a_cronjob_that_cannot_be_kept_is_left_out(
    change: tuple[bytes, bytes], reason: str
) -> None:
    found = read_cronjobs(CRONJOBS.replace(*change), "c.yaml")

    assert "plain" not in named(found)
    (skipped,) = [each for each in found.skipped if each.text == "plain"]
    assert reason in skipped.reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"a: [", "not YAML"),
        (b"a: 1", "no Kubernetes object"),
        (b"kind: CronJob\nspec: {}", "apiVersion"),
        (b"kind: CronJob\napiVersion: batch/v1\n", "a CronJob has a spec"),
    ],
)
def test_a_manifest_that_is_none_is_refused(text: bytes, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read_cronjobs(text, "c.yaml")


@pytest.mark.parametrize(
    "around",
    [
        b"---\n%s\n---\n",
        b"# only comments\n---\n%s",
        b"---\n---\n%s---\n# Source: shop/x.yaml\n---\n",
    ],
)
def test_documents_that_hold_nothing_are_passed_over(around: bytes) -> None:
    found = read_cronjobs(around % CRONJOBS, "c.yaml")

    assert list(named(found)) == ["report", "plain"]


def test_objects_of_other_kinds_are_named() -> None:
    found = read_cronjobs(CRONJOBS, "c.yaml")

    assert found.warnings == ("c.yaml:28: ConfigMap  is not a CronJob and is skipped",)


def test_a_variable_of_a_secret_is_told_how_to_reach_a_command() -> None:
    (note,) = [
        note
        for note in named(read_cronjobs(CRONJOBS, "c.yaml"))["report"].notes
        if note.topic == "variables"
    ]

    assert "TOKEN" in note.old
    assert "pass_env" in note.default


def test_a_command_line_with_a_secret_in_it_is_left_out() -> None:
    found = read_cronjobs(CRONJOBS.replace(b"$(REGION)", b"--x=$(TOKEN)", 1), "c.yaml")
    (skipped,) = [each for each in found.skipped if each.text == "report"]

    assert "$(TOKEN)" in skipped.reason


def test_every_field_that_is_not_kept_is_named() -> None:
    (note,) = [
        note
        for note in named(read_cronjobs(CRONJOBS, "c.yaml"))["report"].notes
        if note.topic == "not kept"
    ]

    assert note.old.split(", ") == [
        "metadata.namespace",
        "spec.jobTemplate.spec.template.spec.restartPolicy",
        "name of the container",
        "resources of the container",
    ]
