"""Versions of a job: their definitions, their differences, and their shares of the runs."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.jobs.apply_plan import FieldChange
from rota.model.jobs.job import DefinitionView
from rota.model.view import View


class VersionView(View, frozen=True):
    """One version of a job."""

    version: int
    created_at: Moment
    origin: str
    current: bool
    weight: int | None
    """Its share of the runs, if they are shared out."""
    definition: DefinitionView


class VersionDiff(View, frozen=True):
    """The differences between two versions."""

    job: str = msgspec.field(name="jobId")
    old: int = msgspec.field(name="from")
    new: int = msgspec.field(name="to")
    changes: list[FieldChange]


class JobWeights(View, frozen=True):
    """The weights by which runs of a job are shared out among its versions."""

    job: str = msgspec.field(name="jobId")
    weights: dict[str, int]
