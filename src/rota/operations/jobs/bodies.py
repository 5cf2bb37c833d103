"""Jobs as clients define and start them; options come from the table of options."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from rota.model.jobs.job import HttpBody
from rota.model.view import Body
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.text.option import body_fields, body_struct, given_options


class JobWork(Body):
    """The target of a job and its schedule."""

    name: str
    command: str | list[str] | msgspec.UnsetType | None = msgspec.UNSET
    """One line, split into words as a shell would but given to none, or the words themselves."""
    http: HttpBody | msgspec.UnsetType | None = msgspec.UNSET
    schedule: str | dict[str, Any] | None = None
    """A cron line such as `0 0 * * *`, or an object: `{"every": "10m"}`, with options."""
    timezone: str | None = None
    dependencies: list[str] = msgspec.field(default_factory=list)
    """Jobs that a run of this one runs first."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Arguments of the runs that the schedule starts."""

    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return given_options(self, _OPTIONS)


class TriggerBody(Body):
    """The arguments and options of a start."""

    args: dict[str, Any] = msgspec.field(default_factory=dict)
    scheduled_for: datetime | None = None
    """The time that the run is for, of a job with a schedule; now, if left out."""


_OPTIONS = [
    name for name, _, _ in body_fields(OPTIONS, "job") if name not in JobWork.__struct_fields__
]

if TYPE_CHECKING:
    JobBody = JobWork
else:
    JobBody = body_struct(
        *(JobWork, OPTIONS, "job"),
        name="JobBody",
        doc="A definition: what to run, when, and under which policies.",
        module=__name__,
    )
