"""Whatever stands in a store, no command writes it to a terminal so that it would obey."""

from __future__ import annotations

import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import click
import msgspec
import pytest

from rota import current_run, progress
from rota.app import App
from rota.cli.main import cli, main
from rota.engine.alerts.incidents import put_message, write_incident
from rota.engine.monitors.pings import ping_by_name
from rota.ids import new_id
from rota.model.alerts.finding import OpenIncident
from rota.model.monitors.monitor import PingFacts
from rota.model.schedules.definitions import Blackout
from rota.rules.alerts.plan import IncidentChange
from rota.runtime.options import WorkerOptions
from rota.store.base import Tx
from tests.api.serving import Served, serving, wait_until

EVIL = (
    "evil\x1b]0;title\x07\x1b[2J\x1b[8mhidden\x9b31m\x9d8;;x\x9c\u202etxet\u2066\u200f\u061c"
    "\r\x08\x0b\x7f\x85\u2028end"
)
HOSTILE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OURS = re.compile(r"\x1b\[(?:0|[0-9;]*m|\?25[hl]|\d*[AKG]|2K)|\r(?=\x1b)")
SERVES = {"up", "worker", "server", "demo", "bench"}
"""They write lines of a log (cli.logs, cli.echo), each of which is translated by itself."""

JOBS = """
jobs:
  told:
    command: [echo, "{word}"]
    schedule: {cron: "0 2 * * *", args: {word: x}}
"""
TEMPLATE = 'definition: {name: "made", command: [echo, "${word}"]}\nparameters: {word: {}}\n'
GRAPH = "jobs: {g: {graph: {nodes: {a: {command: [echo, hi]}}}}}"


def jobs_of(app: App) -> None:
    @app.job(retries=0)
    def fails(word: str) -> None:
        sys.stdout.write(f"said {word} rareword\n")
        progress(0.5, word)
        raise ValueError(word + "\nrota: all is well")

    @app.job
    def gives(word: str) -> str:
        return word

    @app.job
    def holds() -> None:
        wait_until(lambda: current_run().call.stop_reason)

    @app.job
    def waits(word: str) -> None: ...

    @app.graph
    def steps() -> Any:
        return gives("x")


@pytest.fixture
def furnished(tmp_path: Path) -> Iterator[tuple[Served, dict[str, str]]]:
    """A server whose store is full of bad words; and the ids that commands want."""
    folder = tmp_path
    with serving(f"sqlite:///{folder}/rota.db") as served:
        with App(served.app.url) as app:
            jobs_of(app)
            ids = lived_in(app)
        for name, text in {
            "jobs.yaml": JOBS,
            "graph.yaml": GRAPH,
            "template.yaml": TEMPLATE,
        }.items():
            (folder / name).write_text(text)
        (folder / "cron").write_text(f"5 4 * * * echo {EVIL.replace(chr(13), '')}\n")
        served.token()
        poison(folder / "rota.db")
        yield served, ids | {"folder": str(folder)}


def lived_in(app: App) -> dict[str, str]:
    runs = {
        "dead": app.find_job("fails").submit(EVIL),
        "other": app.find_job("fails").submit(EVIL + "2"),
        "good": app.find_job("gives").submit(EVIL),
        "graph": app.find_job("steps").submit(),
    }
    worker = app.worker(WorkerOptions(slots=4))
    worker.start()
    for run in runs.values():
        run.wait(timeout=60)
    worker.stop()
    runs["later"] = app.find_job("waits").with_options(delay="1h").submit(EVIL)
    runs["queued"] = app.find_job("waits").submit(EVIL)
    app.schedules.put("nightly", "0 2 * * *", job="waits", args={"word": EVIL})
    app.monitors.put("nightly", every="1d", note=EVIL)
    ping = PingFacts(kind="fail", agent=EVIL, body=f"{EVIL}\nrota: all is well", size=1)
    app.store.write(lambda tx: ping_by_name(tx, "nightly", ping, namespace=app.namespace))
    return {name: run.id for name, run in runs.items()} | {"alert": told_of(app)}


def told_of(app: App) -> str:
    """Have an incident that people were told of; return its id."""
    app.alerts.put_channel("ops", "https://127.0.0.1:1/hook", note=EVIL)
    app.alerts.put_rule("all", on=["run.failed"], to=["ops"], jobs=["no such job"], note=EVIL)
    incident = OpenIncident(
        id=new_id(),
        rule="all",
        kind="run.failed",
        subject=f"fails {EVIL}",
        severity="error",
        title=f"fails: {EVIL}",
        advice=EVIL,
        job=f"fails {EVIL}",
        opened_at=0,
        last_at=0,
    )
    facts = {"rule": "all", "kind": "opened", "title": incident.title}

    def tell(tx: Tx) -> None:
        change = IncidentChange(incident=incident, is_new=True)
        write_incident(tx, change, namespace=app.namespace)
        put_message(tx, new_id(), facts, channel="ops", namespace=app.namespace)

    app.store.write(tell)
    return incident.id


FREE = {
    "note", "message", "error_type", "reason", "who", "subject", "acted_by", "progress_note",
    "cancel_reason", "changed_by", "host", "key",
}  # fmt: skip
NAMED = {"worker", "token", "blackout", "calendar", "queue"}


def poison(path: Path) -> None:
    """As somebody would who can write to the database, or found a way past the checks."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("drop trigger rota_act_stays")
        connection.execute(
            "insert into rota_queue (namespace, name, is_paused, note, changed_at)"
            " values ('default', 'q', 1, 'n', 1);"
            "insert into rota_blackout values ('default', 'b', '', 1);"
            "insert into rota_breaker (namespace, job, state, stays, note, changed_at, opened_at)"
            " values ('default', 'waits', 'open', 1, 'n', 1, 1);"
            "insert into rota_worker (id, namespace, name, host, pid, queues, slots, version,"
            " started_at, seen_at, lease_until)"
            " values ('w', 'default', 'w', 'h', 1, '[\"default\"]', 1, '1', 1, 1, 99999999999999);"
            "update rota_schedule set note = 'n', changed_by = 'n', state = 'paused'"
        )
        window = Blackout(kind="drain", start="2026-01-01", end="2126-01-01", note=EVIL)
        spec = msgspec.json.encode(window).decode()
        connection.execute("update rota_blackout set spec = ?", (spec,))
        for table, column in connection.execute(
            "select m.name, c.name from sqlite_schema as m join pragma_table_info(m.name) as c"
            " where m.type = 'table' and m.name like 'rota%'"
        ).fetchall():
            name = str(table).removeprefix("rota_")
            if column in FREE or (column == "name" and name in NAMED):
                connection.execute(
                    f"update {table} set {column} = {column} || ? where {column} is not null",
                    (EVIL,),
                )
        for table in ("run", "run_history"):
            connection.execute(f"update rota_{table} set queue = queue || ?", (EVIL,))


Words = Callable[[dict[str, str]], list[list[str]]]


def words_of(ids: dict[str, str]) -> dict[str, list[list[str]]]:
    """What each command is asked, those that change things last."""
    folder, good, dead = ids["folder"], ids["good"], ids["dead"]
    later, graph = ids["later"], ids["graph"]
    name = f"no{EVIL}"
    return {
        "runs list": [["--limit", "50"]],
        "runs show": [[good], [dead], [later], [graph], [name]],
        "runs timeline": [[graph], [dead]],
        "runs wait": [[good], [dead], [later, "--timeout", "10ms"]],
        "runs watch": [[dead], [graph]],
        "logs": [[dead], ["--search", "rareword"], [name]],
        "why": [[later], [ids["queued"]], [graph, "gives"], [name]],
        "dead groups": [[]],
        "dead list": [[]],
        "dead show": [[dead], [name]],
        "effects list": [[]],
        "effects show": [[good], [name]],
        "audit list": [[]],
        "audit verify": [[]],
        "audit anchor": [["--key-file", f"{folder}/{name}"]],
        "jobs list": [[]],
        "jobs show": [["waits"], [name]],
        "jobs versions": [["waits"], [name]],
        "jobs diff": [["waits", "1", "1"], [name, "1", "2"]],
        "statistics": [[], ["waits"], [name]],
        "forecast": [[]],
        "queues show": [["default"], [name]],
        "schedules upcoming": [[]],
        "templates list": [[]],
        "templates show": [["blanks"], [name]],
        "views list": [[]],
        "open": [[], ["--address", name]],
        "init": [[f"{folder}/{name}"]],
        "prune": [["--dry-run"]],
        "graphs list": [[]],
        "graphs nodes": [[graph]],
        "graphs schema": [[]],
        "graphs show": [[f"{folder}/graph.yaml", "g"], [f"{folder}/{name}"]],
        "schedules list": [[]],
        "schedules show": [["nightly"], [name]],
        "schedules preview": [["0 2 * * *"], [name]],
        "schedules backfills": [[]],
        "calendars list": [[]],
        "blackouts list": [[]],
        "queues list": [[]],
        "alerts list": [["--all"]],
        "alerts show": [[ids["alert"]], [name]],
        "alerts messages": [[]],
        "alerts rules list": [[]],
        "alerts channels list": [[]],
        "monitors list": [[]],
        "monitors show": [["nightly"], [name]],
        "monitors pings": [["nightly"], ["nightly", "--number", "1"], [name]],
        "monitors url": [["nightly"], [name]],
        "releases list": [[]],
        "releases use": [["1", "--who", EVIL], [name]],
        "breakers list": [[]],
        "workers list": [[]],
        "namespaces list": [[]],
        "tokens list": [["--all"]],
        "plan": [[f"{folder}/jobs.yaml"], [f"{folder}/{name}"]],
        "import crontab": [[f"{folder}/cron"], [f"{folder}/{name}"]],
        "import systemd": [[f"{folder}/cron"]],
        "import cronjob": [[f"{folder}/cron"]],
        "import celery": [[name]],
        "schema": [[]],
        "db check": [[]],
        "db sql": [[]],
        "db migrate": [[]],
        "db logins": [[]],
        "db protect": [["--role", name]],
        "db grant": [[name, "--as", "reader"]],
        "db revoke": [[name]],
        "doctor": [[], ["--security"]],
        "completion": [["bash"]],
        "submit": [["waits", f"word={EVIL}"], [name], ["waits", f"nope={EVIL}"]],
        "send": [["happened", f"word={EVIL}", "--key", EVIL], [name]],
        "apply": [[f"{folder}/jobs.yaml", "--yes"], [f"{folder}/{name}"]],
        "templates set": [["blanks", f"{folder}/template.yaml"], [name, f"{folder}/{name}"]],
        "templates make": [["blanks", "word=x"], ["blanks", f"word={EVIL}"], [name]],
        "runs label": [[later, f"word={EVIL}"], [later, f"{EVIL}=x"], [name, "a=b"]],
        "views put": [["mine", "--text", EVIL, "--note", EVIL], [name]],
        "jobs pause": [["waits", "--note", EVIL], [name]],
        "jobs resume": [["waits"], [name]],
        "jobs weights": [["waits"], ["waits", EVIL], [name]],
        "jobs rollback": [["waits", "1"], [name, "1"]],
        "queues pause": [["default", "--note", EVIL], [name]],
        "queues resume": [["default"], [name]],
        "breakers open": [["waits", "--note", EVIL], [name]],
        "breakers close": [["waits"], [name]],
        "schedules set": [["nightly", "0 3 * * *", "--job", "waits"], [name, name, "--job", name]],
        "schedules pause": [["nightly", "--note", EVIL], [name]],
        "schedules resume": [["nightly"], [name]],
        "schedules trigger": [["nightly"], [name]],
        "schedules unblock": [["nightly"], [name]],
        "schedules backfill": [
            ["nightly", "--from", "2026-01-01", "--to", "2026-01-03", "--dry-run"],
            [name, "--from", "2026-01-01", "--to", "2026-01-03"],
        ],
        "monitors set": [["nightly", "--every", "2d", "--note", EVIL], [name, "--every", name]],
        "monitors pause": [["nightly", "--note", EVIL], [name]],
        "monitors resume": [["nightly"], [name]],
        "monitors rotate": [["nightly"], [name]],
        "monitors ping": [["nightly", "--exit-status", "3"], [name]],
        "calendars set": [["mine", "--weekend", "sat"], [name]],
        "blackouts set": [[name, "--from", "now", "--until", "1h", "--note", EVIL]],
        "alerts rules set": [["all", "--to", "ops", "--note", EVIL], [name]],
        "alerts channels set": [["ops", "https://127.0.0.1:1/", "--note", EVIL], [name, name]],
        "alerts channels test": [["ops"], [name]],
        "namespaces create": [[name, "--note", EVIL], ["team", "--note", EVIL]],
        "namespaces set": [["team", "--note", EVIL], [name]],
        "tokens create": [[name], ["fresh"]],
        "tokens rotate": [[name]],
        "tokens revoke": [[name]],
        "workers drain": [[name]],
        "workers resume": [[name]],
        "graphs mark": [[graph, "gives", "success", "--note", EVIL], [name, name, "success"]],
        "graphs pause": [[graph, "--note", EVIL], [name]],
        "graphs resume": [[graph, "--note", EVIL], [name]],
        "graphs rerun": [[graph, "--only", name, "--note", EVIL], [name, "--all"]],
        "runs rerun": [[dead], [name]],
        "runs cancel": [[later, "--reason", EVIL], [name]],
        "dead redrive": [[ids["other"], "--reason", EVIL], [name]],
        "effects settle": [[dead, name, "--not-done", "--reason", EVIL], [name, name, "--done"]],
        "dead discard": [[dead, "--reason", EVIL], [name]],
        "templates remove": [["blanks"], [name]],
        "views remove": [["mine"], [name]],
        "jobs remove": [["waits"], [name]],
        "alerts rules remove": [["all"], [name]],
        "alerts channels remove": [["ops"], [name]],
        "monitors remove": [["nightly"], [name]],
        "calendars remove": [["mine"], [name]],
        "blackouts remove": [[name]],
        "schedules remove": [["nightly"], [name]],
        "namespaces remove": [["team"], [name]],
    }


def commands(group: click.Group, *path: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name))


class Terminal(io.StringIO):
    def __init__(self, *, is_tty: bool) -> None:
        super().__init__()
        self._is_tty = is_tty

    def isatty(self) -> bool:
        return self._is_tty


@pytest.fixture(params=["a pipe, from the store", "a terminal, through a server"])
def asked(
    request: pytest.FixtureRequest,
    furnished: tuple[Served, dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., str]:
    served, ids = furnished
    is_far = request.param.startswith("a terminal")
    monkeypatch.chdir(ids["folder"])
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if is_far:
        monkeypatch.setenv("ROTA_SERVER", served.address)
        monkeypatch.setenv("ROTA_TOKEN", served.token())
    else:
        monkeypatch.setenv("ROTA_URL", served.app.url)

    def ask(*words: str) -> str:
        out, err = Terminal(is_tty=is_far), Terminal(is_tty=is_far)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        main(words)
        return out.getvalue() + err.getvalue()

    return ask


def test_every_command_is_tried() -> None:
    assert set(words_of(defaultdict(str))) | SERVES == set(commands(cli))


def test_no_command_lets_anything_through(
    asked: Callable[..., str], furnished: tuple[Served, dict[str, str]]
) -> None:
    check_json(asked, furnished[1]["good"])
    telling = set()
    for command, forms in words_of(furnished[1]).items():
        for form in forms:
            told = asked(*command.split(), *form)
            rest = OURS.sub("", told)

            assert "\x1b[8m" not in told, (command, told)
            assert not HOSTILE.search(rest), (command, HOSTILE.findall(rest), told)
            assert "\nrota: all is well" not in told, (command, told)
            if "evil" in rest:
                telling.add(command)
    assert {
        *("runs show", "logs", "dead groups", "dead list", "dead show", "audit list"),
        *("workers list", "queues list", "breakers list", "blackouts list", "tokens list"),
        *("monitors list", "monitors show", "monitors pings"),
        *("schedules show", "why", "submit", "runs wait", "import crontab"),
        *("alerts list", "alerts show", "alerts messages"),
    } <= telling


def check_json(asked: Callable[..., str], good: str) -> None:
    """It is complete, and as harmless."""
    told, bare = asked("runs", "show", good, "--json"), asked("runs", "wait", good)

    assert not HOSTILE.search(OURS.sub("", told + bare))
    assert json.loads(told)["result"] == EVIL
    assert json.loads(bare.splitlines()[0]) == EVIL
