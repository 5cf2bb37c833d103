"""Labels in programs: of the job, its schedule and the submit, and those that a handler adds."""

from __future__ import annotations

import pytest

from rota import App
from rota.errors import BadOption
from rota.model.runs.labels import Labels
from tests.integration.conftest import BOTH_SOURCES, Serve
from tests.support import handlers


def labels_of(app: App, run_id: str) -> Labels:
    return app.run(run_id).show().labels


def test_a_submit_adds_to_the_labels_of_its_job(app: App) -> None:
    add = app.job(labels={"team": "billing", "tier": 1})(handlers.add)

    plain = add.submit(1)
    own = add.with_options(labels={"tier": 2, "customer": "acme"}).submit(1)
    many = add.with_options(labels={"batch": 7}).submit_many([1, 2])

    assert labels_of(app, plain.id) == {"team": "billing", "tier": 1}
    assert labels_of(app, own.id) == {"customer": "acme", "team": "billing", "tier": 2}
    assert [labels_of(app, run.id)["batch"] for run in many] == [7, 7]


def test_runs_of_a_schedule_have_labels_of_job_and_schedule(app: App) -> None:
    app.define([app.job(labels={"team": "billing", "tier": 1})(handlers.add)])
    app.schedules.put(
        "nightly", {"cron": "@yearly", "labels": {"tier": 2}}, job="add", args={"a": 1}
    )

    run = app.schedules.trigger("nightly")

    assert run is not None
    assert labels_of(app, run.id) == {"team": "billing", "tier": 2}


def test_a_graph_has_labels_and_its_nodes_have_none(app: App, serve: Serve) -> None:
    add = app.job(labels={"team": "billing"})(handlers.add)

    @app.graph(labels={"flow": "daily"})
    def daily() -> None:
        add(1)

    serve()
    run = daily.submit()
    run.wait(timeout=20)

    (node,) = app.runs(parent=run.id)
    assert labels_of(app, run.id) == {"flow": "daily"}
    assert labels_of(app, node.id) == {}


@BOTH_SOURCES
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_a_handler_labels_its_own_run(app: App, serve: Serve, isolation: str) -> None:
    job = app.job(isolation=isolation, retries=0, labels={"old": 1, "team": "billing"})(
        handlers.labels_itself
    )
    serve()

    run = job.submit("acme")

    assert run.result(timeout=20) == {"customer": "acme", "rows": 7, "team": "billing"}
    assert labels_of(app, run.id) == {"customer": "acme", "rows": 7, "team": "billing"}
    assert [each.id for each in app.runs(labels={"customer": "acme"})] == [run.id]


def test_a_bad_label_of_a_job_is_refused_when_it_is_defined(app: App) -> None:
    with pytest.raises(BadOption, match=r"labels: team=\[\] is not a text"):
        app.job(labels={"team": []})(handlers.add)
