"""`rota jobs`: the definitions in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.jobs.changes import pause, remove, resume
from rota.cli.commands.jobs.versions import diff, rollback, versions, weights
from rota.cli.commands.runs.filters import shown_labels
from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options

if TYPE_CHECKING:
    from rota.model.jobs.job import JobEntry
    from rota.model.jobs.spec import JobSpec

EPILOG = """\b
Examples:
  rota jobs
  rota jobs show resize
  rota jobs --label team=billing
  rota jobs pause resize --note "the disk is full"
  rota jobs versions resize
  rota jobs weights resize 3=90 4=10      one run in ten gets version 4
  rota jobs --json | jq -r .name

A job is known as soon as a worker that has it was started, or a run of it was submitted.
"""
COLUMNS = (
    "name",
    "version",
    "kind",
    "queue",
    "priority",
    "retries",
    "timeout",
    "breaker",
    "parameters",
)
SPARE = ("kind", "version", "retries", "timeout", "priority")


@click.group("jobs", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List the jobs on record; show, pause or remove one; its versions."""


for each in (pause, resume, remove, versions, diff, rollback, weights):
    command.add_command(each)


@command.command("list")
@click.option(
    "--label", multiple=True, metavar="CONDITION", help="team=billing, or a name; repeatable."
)
@desk_options
def list_(*, label: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """List all jobs by name, in their current version."""
    from rota.cli.output import print_json, print_table

    views = _jobs(flags, label)
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [_row(job) for job in views], empty="no jobs on record", spare=SPARE)


@command.command("show")
@click.argument("name", shell_complete=names_of("jobs"))
@desk_options
def show(*, name: str, as_json: bool, **flags: Any) -> None:
    """Show one job: what it does and under which policies."""
    from rota.cli.output import print_facts, print_json
    from rota.errors import UnknownJob

    views = {job.name: job for job in _jobs(flags)}
    if name not in views:
        raise UnknownJob(name, views)
    if as_json:
        print_json([views[name]])
    else:
        print_facts(_facts(views[name]))


def _jobs(flags: dict[str, Any], labels: tuple[str, ...] = ()) -> list[JobEntry]:
    from rota.cli.connect.backends import place

    with place(flags) as here:
        return here.definitions.list(labels=labels)


def _spec(job: JobEntry) -> JobSpec:
    assert job.spec is not None  # noqa: S101  # asked for with the list
    return job.spec


def _row(job: JobEntry) -> list[str]:
    spec = _spec(job)
    return [
        job.name,
        str(job.version),
        _kind(spec),
        spec.queue,
        str(spec.priority),
        str(spec.retry.limit),
        _duration(spec.timeout_ms),
        _breaker_state(job),
        _parameters(spec),
    ]


def _facts(job: JobEntry) -> list[tuple[str, str]]:
    spec = _spec(job)
    return [
        ("name", job.name),
        ("version", f"{job.version} (since {job.created_at.text()})"),
        ("kind", _kind(spec)),
        ("target", _target(spec)),
        ("for", spec.description or ""),
        ("labels", shown_labels(job.labels)),
        ("origin", job.origin),
        ("parameters", _parameters(spec)),
        ("queue", spec.queue),
        ("priority", str(spec.priority)),
        ("retries", _retries(spec)),
        ("timeout", _timeout(spec)),
        ("expires", _duration(spec.expires_ms)),
        ("deadline", spec.deadline or ""),
        ("breaker", _breaker(job)),
        ("cache", _cache(spec)),
        ("delivery", spec.delivery.replace("_", " ")),
        ("on failure", spec.on_failure or ""),
        ("crashes", f"at most {spec.max_crashes} alone" if spec.max_crashes else ""),
        ("lost workers", _losses(spec)),
        ("memory", f"{spec.memory_mb} MB" if spec.memory_mb else ""),
    ]


def _losses(spec: JobSpec) -> str:
    """Return how many lost workers end a run; empty for the default."""
    if not isinstance(spec.max_losses, int):
        return ""
    return f"at most {spec.max_losses} as the only suspect" if spec.max_losses else "any number"


def _cache(spec: JobSpec) -> str:
    if spec.cache is None:
        return ""
    by = " by a key of its own" if spec.cache.key is not None else ""
    return f"{spec.cache.ttl or 'for ever'}{by}"


def _breaker_state(job: JobEntry) -> str:
    return (job.breaker or "").replace("_", " ")


def _breaker(job: JobEntry) -> str:
    from rota.rules.failures.breaker_options import breaker_text

    rule = _spec(job).breaker
    text = breaker_text(rule) if rule else ""
    return ", ".join(part for part in (_breaker_state(job), text) if part)


def _kind(spec: JobSpec) -> str:
    from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, PythonTarget

    match spec.target:
        case GraphTarget():
            return "graph"
        case CommandTarget():
            return "command"
        case HttpTarget():
            return "http"
        case PythonTarget(is_async=True):
            return "async"
    return spec.isolation


def _target(spec: JobSpec) -> str:
    from shlex import join

    from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, PythonTarget

    match spec.target:
        case GraphTarget(graph=graph):
            return f"{len(graph.nodes):,} nodes"
        case PythonTarget(ref=ref):
            return ref
        case CommandTarget(argv=argv):
            return join(argv)
        case HttpTarget(method=method, url=url):
            return f"{method} {url}"


def _retries(spec: JobSpec) -> str:
    from rota.model.jobs.spec import GraphTarget

    if isinstance(spec.target, GraphTarget):
        return f"{spec.target.graph.retries}, from what failed"
    return f"{spec.retry.limit}, {spec.retry.backoff} from {_duration(spec.retry.delay_ms)}"


def _timeout(spec: JobSpec) -> str:
    from rota.model.jobs.spec import GraphTarget

    if isinstance(spec.target, GraphTarget):
        return spec.target.graph.timeout or ""
    return _duration(spec.timeout_ms)


def _parameters(spec: JobSpec) -> str:
    lines = [f"{name}: {kind}" for name, kind in spec.parameters.items()]
    more = [f"**kwargs: {spec.more}"] if isinstance(spec.more, str) else []
    return ", ".join(lines + more)


def _duration(ms: int | None) -> str:
    from rota.rules.text.duration import format_duration

    return "" if ms is None else format_duration(ms)
