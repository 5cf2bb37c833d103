"""`rota schema`: the shape of a job file, for editors and for checks in CI."""

from __future__ import annotations

import json

import click

EPILOG = """\b
Examples:
  rota schema > job-file.schema.json

An editor that knows YAML takes it from the first line of a job file:
  # yaml-language-server: $schema=job-file.schema.json
"""


@click.command("schema", epilog=EPILOG)
def command() -> None:
    """Print the JSON Schema of a job file."""
    from rota.rules.jobs.files.schema import job_file_schema

    print(json.dumps(job_file_schema(), indent=2))
