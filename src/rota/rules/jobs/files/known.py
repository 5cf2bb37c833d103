"""The fields that a job file may have, by where they stand; reader and schema obey the same."""

from __future__ import annotations

from rota.model.graph import Graph, Node
from rota.rules.jobs.files.targets import TARGET_FIELDS
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.jobs.options import JOB_OPTIONS
from rota.rules.schedules.option_table import SCHEDULE_OPTIONS

TOP_FIELDS = frozenset({"bundle", "defaults", "calendars", "blackouts", "jobs", "graphs"})
JOB_FIELDS = frozenset(each.name for each in OPTIONS if each.schema is not None)
"""What a file can say of a job; a retry function is code."""
SCHEDULE_FIELDS = frozenset(SCHEDULE_OPTIONS - JOB_OPTIONS - {"args"})
"""Policies that may stand beside `schedule:` and then count for all of the job's schedules."""
OWN_FIELDS = frozenset({"schedule", "schedules", "arguments"})
COMMAND_DEFAULTS = frozenset({"env", "cwd"})
"""What counts for all commands of a file; jobs of other kinds do without."""
DEFAULT_FIELDS = (JOB_FIELDS - {"description"}) | SCHEDULE_FIELDS | COMMAND_DEFAULTS
FLOW_FIELDS = OWN_FIELDS | SCHEDULE_FIELDS | {"queue", "priority", "dependencies", "on_failure"}
"""Of a graph, besides its own: what any job has that can be started and scheduled."""
GRAPH_FIELDS = FLOW_FIELDS | frozenset(Graph.__struct_fields__)
INLINE_FIELDS = TARGET_FIELDS | (JOB_FIELDS - frozenset(Node.__struct_fields__))
"""Of a node that is its own job: what it does, and policies that a node does not have."""
