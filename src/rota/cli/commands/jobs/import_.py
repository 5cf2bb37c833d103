"""`rota import`: job files from crontabs, CronJobs, Celery beat and systemd timers."""

from __future__ import annotations

import glob
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rota.cli.options import json_option

if TYPE_CHECKING:
    from rota.rules.jobs.importers.report import Imported

F = TypeVar("F", bound=Callable[..., Any])

EPILOG = """\b
Examples:
  rota import crontab /etc/crontab --system -o rota.yaml
  crontab -l | rota import crontab - --zone Europe/Paris > rota.yaml
  rota import cronjob k8s/*.yaml -o rota.yaml
  rota import celery shop.celery:app -o rota.yaml
  rota import systemd /etc/systemd/system/*.timer -o rota.yaml

The job file goes to stdout or -o, the report to stderr or --report: what the old system does, what
Rota would do by itself, and the setting that keeps the old behaviour; what several entries have in
common is told once. Nothing is applied; look at it with `rota plan`. Exits with 0, with --strict
with 1 when an entry was left out, with 2 when a file cannot be read.
"""


@click.group("import", epilog=EPILOG)
def command() -> None:
    """Write a job file from what another scheduler has."""


def _output_options(each: F) -> F:
    for option in (
        click.option("--strict", is_flag=True, help="Exit with 1 when an entry was left out."),
        click.option("--report", metavar="FILE", help="Where the report goes; stderr if unsaid."),
        click.option("-o", "--output", metavar="FILE", help="Where the job file goes; stdout."),
    ):
        each = option(each)
    return json_option(each)


def _zone_option(each: F) -> F:
    return click.option(
        "--zone", metavar="ZONE", help="The zone of the old machine; that of this one if unsaid."
    )(each)


@command.command("crontab")
@click.argument("file")
@click.option("--system", is_flag=True, help="A column of users, as in /etc/crontab.")
@_zone_option
@_output_options
def crontab(*, file: str, system: bool, zone: str | None, **flags: Any) -> int:
    """From a crontab FILE; - reads stdin."""
    from rota.rules.jobs.importers.crontab import read_crontab

    imported = read_crontab(_read(file), file, zone=_zone(zone), has_user=system)
    return _deliver(imported, f"crontab {file}", flags)


@command.command("cronjob")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_output_options
def cronjob(*, files: tuple[str, ...], **flags: Any) -> int:
    """From Kubernetes manifests with CronJobs; - reads stdin."""
    from rota.rules.jobs.importers.cronjob import read_cronjobs
    from rota.rules.jobs.importers.report import joined

    imported = joined(read_cronjobs(_read(file), file) for file in files)
    return _deliver(imported, f"CronJobs of {', '.join(files)}", flags)


@command.command("celery")
@click.argument("source", metavar="MODULE:OBJECT|FILE.json")
@click.option("--zone", metavar="ZONE", help="The zone of beat; as its configuration if unsaid.")
@_output_options
def celery(*, source: str, zone: str | None, **flags: Any) -> int:
    """From a Celery app or its beat_schedule (MODULE:OBJECT, imported), or from a JSON file."""
    from rota.cli.pages.import_report import load_beat
    from rota.rules.jobs.importers.celery import Zones, read_beat, read_beat_json

    zones = Zones(None if zone is None else _zone(zone), _zone(None))
    if source.endswith(".json") or source == "-":
        imported = read_beat_json(_read(source), source, zones=zones)
    else:
        beat, beside = load_beat(source)
        imported = read_beat(beat, source, zones=zones, beside=beside)
    return _deliver(imported, f"Celery beat of {source}", flags)


@command.command("systemd")
@click.argument("files", nargs=-1, required=True, metavar="FILE.timer...")
@_zone_option
@_output_options
def systemd(*, files: tuple[str, ...], zone: str | None, **flags: Any) -> int:
    """From systemd timers; services and drop-ins (backup.timer.d) are looked for beside them."""
    from rota.rules.jobs.importers.systemd import read_timers

    beside = {
        path.name: _read_unit(path)
        for file in files
        for path in sorted(Path(file).parent.glob("*.service"))
    }
    timers = {file: _read_unit(Path(file)) for file in files}
    imported = read_timers(timers, beside=beside, zone=_zone(zone))
    return _deliver(imported, f"systemd timers {', '.join(files)}", flags)


def _read_unit(path: Path) -> bytes:
    """Return a unit with the changes that folders such as backup.service.d make to it."""
    parts = sorted(path.parent.glob(f"{glob.escape(path.name)}.d/*.conf"), key=lambda it: it.name)
    return b"\n".join(_read(str(each)) for each in (path, *parts))


def _read(file: str) -> bytes:
    from rota.handles.jobs.files import read_file
    from rota.rules.jobs.files.yaml12 import MAX_BYTES

    # Read one byte more than a file may have: that is enough to see that it is too long.
    return sys.stdin.buffer.read(MAX_BYTES + 1) if file == "-" else read_file(file)


def _zone(name: str | None) -> str:
    from rota.cli.machine_zone import machine_zone
    from rota.rules.schedules.zones import zone

    return zone(name).name if name else machine_zone()


def _deliver(imported: Imported, title: str, flags: dict[str, Any]) -> int:
    from rota.cli.pages.import_report import report_document, report_text
    from rota.rules.jobs.files.write import write_jobs
    from rota.rules.jobs.importers.shared import with_defaults

    defaults, jobs = with_defaults({entry.name: entry.job for entry in imported.entries})
    headline = f"Imported by `rota import` from {title}."
    text = write_jobs(jobs, comment=headline, defaults=defaults)
    _write(flags["output"], text, sys.stdout)
    report = report_document(imported) if flags["as_json"] else report_text(imported)
    _write(flags["report"], report, sys.stderr)
    return int(flags["strict"] and bool(imported.skipped))


def _write(path: str | None, text: str, stream: Any) -> None:
    from rota.errors import BadFile

    if path is None:
        stream.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadFile(f"cannot write {path}: {error.strerror or error}") from error
