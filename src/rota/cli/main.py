"""The `rota` group; it turns errors into one line and an exit code.

Commands live in rota.cli.commands and are imported when they are named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from rota.cli.safe_text import OutputLost, inert_output, silence
from rota.cli.suggest import SuggestingGroup
from rota.errors import RotaError

SECTIONS = {
    "Run": {
        "init": "init",
        "up": "up",
        "worker": "workers.worker",
        "server": "server",
        "submit": "runs.submit",
        "send": "events.send",
    },
    "Look": {
        "runs": "runs.runs",
        "logs": "logs.logs",
        "views": "runs.views",
        "why": "insight.why",
        "dead": "failures.dead",
        "effects": "runs.effects",
        "statistics": "insight.statistics",
        "forecast": "insight.forecast",
        "alerts": "alerts",
        "monitors": "monitors",
    },
    "Define": {
        "jobs": "jobs.jobs",
        "graphs": "graphs.graphs",
        "schedules": "schedules",
        "calendars": "schedules.calendars",
        "blackouts": "schedules.windows",
        "templates": "jobs.templates",
        "plan": "jobs.plan",
        "apply": "jobs.apply",
        "import": "jobs.import_",
        "schema": "jobs.schema",
    },
    "Operate": {
        "queues": "admission.queues",
        "breakers": "failures.breakers",
        "workers": "workers.workers",
        "releases": "jobs.releases",
        "doctor": "insight.doctor",
        "bench": "bench",
    },
    "Administer": {
        "namespaces": "identity.namespaces",
        "open": "identity.open_",
        "tokens": "identity.tokens",
        "audit": "identity.audit",
        "db": "db",
        "prune": "prune",
        "demo": "demo",
        "completion": "completion",
    },
}
"""The module of each command, below rota.cli.commands; in the order of the help."""
COMMANDS = {name: module for section in SECTIONS.values() for name, module in section.items()}
ALIASES = {"acts": "audit", "graph": "graphs"}
"""Older names, which the help does not list."""
CTRL_C = 130
BROKEN_PIPE = 141

HELP = """Rota runs jobs: durable, fast, on one SQLite file or on PostgreSQL.

\b
  rota demo                     see it work, nothing to prepare
  rota up shop.py               serve the jobs of shop.py
  rota submit resize image=cat.png --wait
  rota runs --state failed      what went wrong
"""

EPILOG = """\b
Settings come from flags, then from ROTA_* variables (ROTA_URL, ROTA_APP, ROTA_SERVER,
ROTA_TOKEN, ROTA_SLOTS...), then from rota.toml in this folder or one above it:

\b
  [rota]
  url = "postgresql://rota@db/rota"
  app = "shop:app"
  [worker]
  slots = 16
  [profiles.prod]               with --profile prod, a server instead of a database:
  server = "https://rota.example.org"
  token_file = "~/.rota-token"

\b
Exit codes:
  0  done                        4  the database cannot be reached
  1  an error                    5  schema or database settings do not fit
  2  bad input, nothing changed  6  the run did not end in time
  3  the run's state forbids it  7  the run ended without a result
  8  not signed in or permitted  9  too much at once; later

ROTA_DEBUG=1 shows tracebacks, NO_COLOR=1 gives plain text.
"""


class Commands(SuggestingGroup):
    """A group that finds a command by importing the module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's protocol
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the commands by what a person wants to do."""
        width = max(map(len, COMMANDS))
        for section, names in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(f"{name:<{width}}", told) for name, told in self.rows(ctx, names)]
                )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        module = COMMANDS.get(ALIASES.get(cmd_name, cmd_name))
        if module is None:
            return None
        command: click.Command = import_module(f"rota.cli.commands.{module}").command
        return command


def _print_version(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:  # noqa: FBT001
    if is_wanted:
        from rota.version import version

        click.echo(f"rota {version()}")
        ctx.exit()


@click.group(
    cls=Commands,
    help=HELP,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    with inert_output():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="rota", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RotaError as error:
        return complain(error)
    except (click.Abort, KeyboardInterrupt):
        return CTRL_C
    except BrokenPipeError:
        # The reader of our output has closed it, and needs no more.
        silence(sys.stdout)
        return BROKEN_PIPE
    except OutputLost as error:
        silence(sys.stdout)
        print(f"rota: the output could not be written: {error}", file=sys.stderr)
        return RotaError.exit_code
    return code if isinstance(code, int) else 0


def complain(error: RotaError) -> int:
    """Print in one line what is wrong; with ROTA_DEBUG, print a traceback instead."""
    if os.environ.get("ROTA_DEBUG"):
        sys.excepthook(type(error), error, error.__traceback__)
    else:
        print("rota:", " ".join(str(error).split()), file=sys.stderr)
    return error.exit_code
