"""Labels: names with values that people give to runs, to find them again."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.model.view import View

LabelValue = str | int | float | bool
Labels = dict[str, LabelValue]
LabelKind = Literal["text", "number", "flag"]
Comparison = Literal["", "=", ">", ">=", "<", "<="]
"""How a label is compared; empty asks only that the run has it."""

MOST_LABELS = 32
"""The most labels of one run."""
LONGEST_VALUE = 256
"""The most characters of a value."""


class LabelCondition(msgspec.Struct, frozen=True):
    """A condition on one label of a run."""

    name: str
    comparison: Comparison = ""
    value: str = ""
    """The value as a label shows it: `acme`, `12`, `true`, `2026-12-01T00:00:00.000Z`."""


class StoredLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label of one run, as a row."""

    run_id: str
    name: str
    kind: LabelKind
    value: str


class RunLabels(View, frozen=True, kw_only=True):
    """The labels of a run."""

    run_id: str
    labels: Labels


class KnownLabel(View, frozen=True, kw_only=True):
    """A name of labels in a namespace, or one of its values."""

    name: str
    value: str | None = None
    """A value that some run has under this name; null in a list of names."""
