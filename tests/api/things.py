"""The things that examples of operations name, fresh for each call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2

from rota.engine.admission.windows import put_blackout
from rota.engine.alerts.incidents import write_incident
from rota.engine.alerts.rules import put_channel, put_rule
from rota.engine.identity.namespaces import put_namespace
from rota.engine.identity.tokens import issue
from rota.engine.jobs.definitions import define
from rota.engine.jobs.templates import put_template
from rota.engine.monitors.definitions import make_ping_key, put_monitor
from rota.engine.monitors.pings import ping_by_name
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.engine.runs.search.saved_views import put_saved_view
from rota.engine.runs.submit import submit
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.backfills.fill import start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.calendars import put_calendar
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.workers.registry import NewWorker, register
from rota.engine.workers.remote import enlist, find_remote
from rota.ids import new_id
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.finding import OpenIncident
from rota.model.alerts.rule import AlertRule
from rota.model.graphs.graph import Graph, Node
from rota.model.identity.credentials import Quotas
from rota.model.jobs.spec import GraphTarget, HttpTarget, JobSpec
from rota.model.jobs.template import Blank, Template
from rota.model.monitors.monitor import Monitor, PingFacts
from rota.model.runs.run import NewRun, Verdict
from rota.model.runs.saved_view import SavedFilter
from rota.model.schedules.definitions import Blackout, Calendar, Cron, Schedule
from rota.operations.identity.new_tokens import draw_token
from rota.rules.alerts.plan import IncidentChange
from rota.rules.security.attempt_tokens import Facts, make_token
from rota.store.base import Store
from tests.api.examples import EXAMPLES, HTTP, STREAM

DAY_MS = 86_400_000
TABLES = CompiledSchedules("test", lambda: 0.5)
WINDOW = Blackout(kind="skip", trigger=Cron(expression="@yearly"), duration="1ms")


def given_schedule(tx: Any, name: str, *, namespace: str, job: str) -> None:
    """One that never fires by itself while the tests run."""
    schedules.put(
        tx,
        name,
        Schedule(trigger=Cron(expression="@yearly")),
        namespace=namespace,
        job=job,
        origin="api",
        who="test",
        compiled=TABLES,
        new_id=new_id,
    )


class Things:
    """What an example names, fresh for each call, in a namespace."""

    def __init__(
        self, store: Store, namespace: str, *, dead: bool = False, owner: str = ""
    ) -> None:
        self.run_id = new_id()
        self.job_id = f"job-{self.run_id[-12:]}"
        self.worker_id = new_id()
        self.token = draw_token("theirs", roles=("viewer",)).token
        self.token_id = self.token.id
        self.name = self.job_id
        """Of whatever else has one."""
        self.backfill_id = new_id()
        self.alert_id = new_id()
        self.fence, self.attempt = 1, "none"
        target = HttpTarget(url="https://example.org")
        spec = JobSpec(name=self.job_id, target=target)
        older = JobSpec(name=self.job_id, target=HttpTarget(url="https://example.org/old"))
        run = NewRun(id=self.run_id, job=self.job_id if dead else "add", version=1)
        worker = NewWorker(
            id=self.worker_id, name="w", host="h", pid=1, queues=("default",), slots=1, version="1"
        )

        template = Template(definition=HTTP | {"name": "${job}"}, parameters={"job": Blank()})

        def make(tx: Any) -> None:
            define(tx, older, namespace=namespace, origin="api")
            define(tx, spec, namespace=namespace, origin="api")
            graph = Graph(name=f"{self.name}-graph", nodes=(Node(name="n", job=self.job_id),))
            whole = JobSpec(name=graph.name, target=GraphTarget(graph=graph))
            define(tx, whole, namespace=namespace, origin="api")
            put_template(tx, self.name, template, namespace=namespace, who="test")
            self._named(tx, namespace)
            given_schedule(tx, self.name, namespace=namespace, job=self.job_id)
            start_backfill(
                tx,
                self.name,
                BackfillRange(from_at=0, to_at=DAY_MS),
                namespace=namespace,
                backfill_id=self.backfill_id,
                compiled=TABLES,
            )
            submit(tx, [run], namespace=namespace)
            if owner:
                at = {"namespace": namespace, "token_id": owner, "key": "00" * 32}
                enlist(tx, worker, lease_ms=60_000, **at)
            else:
                register(tx, worker, namespace=namespace, lease_ms=60_000)
            issue(tx, self.token, namespace=namespace, who="ann")
            put_namespace(tx, f"ns-{self.run_id[-12:]}", Quotas())
            if dead:
                self._fail(tx, namespace)
            if owner:
                self._hold(tx, namespace, owner)

        store.write(make)

    def _named(self, tx: Any, namespace: str) -> None:
        """A calendar, a window, a saved view, a monitor, a channel, a rule and an incident."""
        put_calendar(tx, self.name, Calendar(), namespace=namespace)
        put_blackout(tx, self.name, WINDOW, namespace=namespace)
        put_saved_view(tx, self.name, SavedFilter(), namespace=namespace, note="", who="test")
        put_channel(tx, self.name, AlertChannel(url="https://example.org"), namespace=namespace)
        given_monitor(tx, self.name, namespace)
        rule = AlertRule(on=("run.failed",), to=(self.name,), severity="warning")
        put_rule(tx, self.name, rule, namespace=namespace)
        incident = OpenIncident(
            id=self.alert_id,
            rule=self.name,
            kind="run.failed",
            subject=self.job_id,
            severity="error",
            title=f"{self.job_id} failed",
            job=self.job_id,
            opened_at=0,
            last_at=0,
        )
        write_incident(tx, IncidentChange(incident=incident, is_new=True), namespace=namespace)

    def _hold(self, tx: Any, namespace: str, owner: str) -> None:
        """The worker is that of a token, and has the run."""
        worker = find_remote(tx, self.worker_id, namespace=namespace, token_id=owner)
        where: dict[str, Any] = {"namespace": namespace, "queues": ["default"]}
        while True:  # runs of others wait before ours
            (lease,) = claim(tx, jobs='["add"]', worker_id=self.worker_id, limit=1, **where)
            if lease.run_id == self.run_id:
                break
        self.fence = lease.fence
        facts = Facts(lease.job, lease.attempt, lease.claimed_at)
        self.attempt = make_token(worker.seal, self.run_id, self.fence, facts)

    def _fail(self, tx: Any, namespace: str) -> None:
        at: dict[str, Any] = {
            "namespace": namespace,
            "queues": ["default"],
            "worker_id": self.worker_id,
        }
        (lease,) = claim(tx, jobs=json.dumps([self.job_id]), limit=1, **at)
        error = '{"type":"ValueError","message":"broken"}'
        verdict = Verdict(run_id=lease.run_id, fence=lease.fence, verb="fail", error=error)
        finish(tx, [verdict], namespace=namespace)

    def known(self) -> dict[str, str]:
        """What stands for what."""
        return {
            "{run_id}": self.run_id,
            "{job_id}": self.job_id,
            "{name}": self.name,
            "{backfill_id}": self.backfill_id,
            "{alert_id}": self.alert_id,
            "{graph}": f"{self.name}-graph",
            "{old}": "1",
            "{new}": "1",
            "{number}": "7",
            "{ping_number}": "1",
            "{job}": self.job_id,
            "{worker_id}": self.worker_id,
            "{token_id}": self.token_id,
            "{queue}": "mail",
            "{namespace}": f"ns-{self.run_id[-12:]}",
            "{new_namespace}": f"new-{self.run_id[-12:]}",
            "{new_id}": new_id(),
            "{attempt}": self.attempt,
        }

    def fill(self, given: Any) -> Any:
        if given == "{fence}":
            return self.fence
        if isinstance(given, str):
            for sign, value in self.known().items():
                given = given.replace(sign, value)
            return given
        if isinstance(given, Mapping):
            return {key: self.fill(value) for key, value in given.items()}
        return [self.fill(value) for value in given] if isinstance(given, list) else given


def given_monitor(tx: Any, name: str, namespace: str) -> None:
    """A monitor that was pinged once."""
    drawn: dict[str, Any] = {"new_id": new_id, "new_ping_id": new_id}
    put_monitor(tx, name, Monitor(every="1d"), namespace=namespace, who="test", **drawn)
    make_ping_key(tx, f"key of {namespace}", namespace=namespace)
    ping_by_name(tx, name, PingFacts(kind="success"), namespace=namespace)


def call(client: httpx2.Client, at: tuple[str, str], things: Things) -> httpx2.Response:
    example = EXAMPLES[at]
    body = {} if example.body is None else {"json": things.fill(example.body)}
    if at != STREAM:
        return client.request(at[0], things.fill(at[1]) + example.query, **body)
    with client.stream(at[0], at[1]) as answer:
        if answer.status_code != 200:
            answer.read()
        return answer
