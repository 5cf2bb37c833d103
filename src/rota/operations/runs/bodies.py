"""The bodies of requests about runs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from rota.errors import BadInput
from rota.model.view import Body
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.text.option import body_fields, body_struct, given_options


class SubmittedJob(Body):
    """The job of a run to be made, and its arguments."""

    job_id: str | None = None
    job: str | None = None
    """Another name of `jobId`; give one of them."""
    args: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the job; BadInput if it is missing or given twice."""
        name = self.job if self.job_id is None else self.job_id
        if name is None or (self.job is not None and self.job != name):
            raise BadInput("jobId: name one job, in jobId or in job")
        return name

    def options(self) -> dict[str, Any]:
        """Return the options that were given, by the names of a submit."""
        return given_options(self, _OPTIONS)


_OPTIONS = [name for name, _, _ in body_fields(OPTIONS, "submit")]

if TYPE_CHECKING:

    class SubmitBody(SubmittedJob):
        """The options that routes read by their names."""

        delay: str | float | None = None
        at: datetime | None = None
        key: str | None = None
else:
    SubmitBody = body_struct(
        *(SubmittedJob, OPTIONS, "submit"),
        name="SubmitBody",
        doc="A run to be made.",
        module=__name__,
    )


class BulkBody(Body):
    """Many runs at once."""

    runs: list[SubmitBody]
