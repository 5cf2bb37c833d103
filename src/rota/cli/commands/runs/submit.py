"""`rota submit`: submit a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.runs.filters import labels_of
from rota.cli.completing import names_of
from rota.cli.options import desk_options, settings_of

if TYPE_CHECKING:
    from rota.app import App, Job
    from rota.cli.connect.backends import Handle
    from rota.client import ServedJob
    from rota.settings.table import Settings

EPILOG = """\b
Examples:
  rota submit resize image=cat.png width=200
  rota submit resize cat.png 200                      in the order of the parameters
  rota submit report --json-args '{"year": 2026}'
  rota submit resize cat.png --wait --timeout 30s     prints the result
  rota submit resize cat.png --delay 10m --priority high
  rota submit charge order=17 --label team=billing    to find it by
  rota submit charge order=17 --key order-17          the same key is the same run

A value that is JSON (200, true, [1,2], "text") is taken as JSON, anything else as text. With an
app (--app, ROTA_APP, rota.toml) arguments are checked against the types of the function; without
one the job must be known to the store, which checks names and the types it has recorded.

Prints the run's id; with --wait its result, and exits with 7 if it failed, 6 if time was up.
"""

OPTIONS = ("queue", "delay", "key", "expires", "retries")


@click.command("submit", epilog=EPILOG)
@click.argument("job", shell_complete=names_of("jobs"))
@click.argument("arguments", nargs=-1, metavar="[ARGUMENTS]...")
@click.option(
    "--json-args",
    metavar="OBJECT",
    help="Arguments by name as one JSON object; - reads it from stdin.",
)
@click.option("--wait", is_flag=True, help="Wait for the end and print the result.")
@click.option("--timeout", metavar="TIME", help="With --wait: how long, such as 30s.")
@click.option("--priority", metavar="LEVEL", help="high, medium, low or a number.")
@click.option(
    "--queue",
    metavar="NAME",
    help="Another queue than the job's.",
    shell_complete=names_of("queues"),
)
@click.option("--delay", metavar="TIME", help="Start after this time, such as 10m.")
@click.option("--at", metavar="WHEN", help="Start at this time: 2026-12-01T08:00:00+01:00.")
@click.option("--key", metavar="KEY", help="Idempotency key: submitting twice makes one run.")
@click.option(
    "--label", multiple=True, metavar="NAME=VALUE", help="A label to find it by; repeatable."
)
@click.option("--retries", type=int, metavar="N", help="How often a failure is tried again.")
@click.option("--expires", metavar="TIME", help="Do not start any more after waiting this long.")
@click.option("--no-cache", is_flag=True, help="Run it even if its result is known.")
@click.option("--job-timeout", metavar="TIME", help="Stop an attempt that takes longer.")
@desk_options
def command(
    *, job: str, arguments: tuple[str, ...], wait: bool, as_json: bool, **flags: Any
) -> None:
    """Ask for one run of JOB with these ARGUMENTS; it is on disk when this returns."""
    if flags["timeout"] and not wait:
        raise click.UsageError("--timeout says how long to --wait; for the job it is --job-timeout")
    with _job_handle(settings_of(flags), job, flags["key"]) as job_handle:
        run = _submit(job_handle, arguments, flags)
        if not wait:
            _print_submitted(run, job, as_json=as_json)
        else:
            _wait(run, flags["timeout"], as_json=as_json)


@contextmanager
def _job_handle(
    settings: Settings, name: str, key: str | None
) -> Iterator[Job[..., Any] | ServedJob]:
    if settings.server is None:
        app, job = _find(settings, name, key)
        try:
            yield job
        finally:
            app.close()
        return
    from rota.cli.connect.server_client import server_client
    from rota.errors import UnknownJob

    with server_client(settings) as served:
        job_handle = served.find_job(name)
        try:
            job_handle.parameters  # noqa: B018  # asks for them: the words are read by their kinds
        except UnknownJob:
            raise UnknownJob(name, [each.name for each in served.jobs()]) from None
        yield job_handle


def _find(settings: Settings, name: str, key: str | None) -> tuple[App, Job[..., Any]]:
    """Return the job with its types when an app is named, otherwise as the store knows it.

    If the runs of the job are shared out between versions, return the version for this run.
    """
    if settings.app is not None:
        from rota.cli.loading import load_app

        app = load_app(settings)
        return app, app.find_job(name)
    import random

    from msgspec import structs

    from rota.app.jobs.named import recorded_job
    from rota.cli.connect.store_app import client
    from rota.engine.jobs.definitions import jobs
    from rota.engine.jobs.weights import choices
    from rota.errors import UnknownJob
    from rota.rules.jobs.weights import point_of

    app = client(settings)
    views, choice = app.store.read(
        lambda tx: (
            {view.name: view for view in jobs(tx, namespace=app.namespace)},
            choices(tx, [name], namespace=app.namespace),
        )
    )
    if name not in views:
        app.close()
        raise UnknownJob(name, views)
    point = random.random() if key is None else point_of(f"{name}\n{key}")
    version, spec = choice[name].at(point)
    return app, recorded_job(app, structs.replace(views[name], version=version, spec=spec))


def _submit(
    job: Job[..., Any] | ServedJob, words: tuple[str, ...], flags: dict[str, Any]
) -> Handle:
    from rota.cli.arguments import parse
    from rota.cli.times import instant

    json_args = sys.stdin.read() if flags["json_args"] == "-" else flags["json_args"]
    arguments = parse(words, json_args, hints=job.parameters, more=lambda: job.more)
    options = {name: flags[name] for name in OPTIONS}
    options["timeout"] = flags["job_timeout"]
    options["labels"] = labels_of(flags["label"]) or None
    options["priority"] = _number_or_text(flags["priority"])
    options["at"] = instant("--at", flags["at"])
    options["cache"] = False if flags["no_cache"] else None
    options = {name: value for name, value in options.items() if value is not None}
    return job.with_options(**options).submit(*arguments.args, **arguments.kwargs)


def _number_or_text(text: str | None) -> int | str | None:
    if text is not None and text.removeprefix("-").isdecimal():
        return int(text)
    return text


def _print_submitted(run: Handle, job: str, *, as_json: bool) -> None:
    if as_json:
        from rota.cli.output import print_json

        print_json([{"executionId": run.id, "jobId": job}])
    else:
        print(run.id)


def _wait(run: Handle, timeout: str | None, *, as_json: bool) -> None:
    from rota.cli.output import print_json
    from rota.cli.pages.results import print_result
    from rota.cli.waiting import check_ending, wait_for

    if not as_json:
        print(f"run {run.id}", file=sys.stderr)
    ended = wait_for(run, timeout)
    if as_json:
        print_json([run.show()])
    check_ending(run, ended)
    if not as_json:
        print_result(ended.result)
