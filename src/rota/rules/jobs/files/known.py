"""The fields of a job file, by where they stand; reader and schema use the same lists."""

from __future__ import annotations

from rota.model.graphs.graph import Graph, Node
from rota.rules.jobs.files.targets import TARGET_FIELDS
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.jobs.options import GRAPH_RUN_OPTIONS, JOB_OPTIONS
from rota.rules.schedules.option_table import SCHEDULE_OPTIONS

TOP_FIELDS = frozenset({"bundle", "defaults", "calendars", "blackouts", "jobs", "graphs", "alerts"})
ALERT_FIELDS = frozenset({"channels", "rules"})
JOB_FIELDS = frozenset(each.name for each in OPTIONS if each.schema is not None)
"""The fields of a job; a retry function is code, so a file cannot have it."""
SCHEDULE_FIELDS = frozenset(SCHEDULE_OPTIONS - JOB_OPTIONS - {"args"})
"""Policies that may stand beside `schedule:` and apply to all schedules of the job."""
OWN_FIELDS = frozenset({"schedule", "schedules", "arguments"})
COMMAND_DEFAULTS = frozenset({"env", "cwd"})
"""Defaults for all commands of a file; jobs of other kinds ignore them."""
DEFAULT_FIELDS = (JOB_FIELDS - {"description"}) | SCHEDULE_FIELDS | COMMAND_DEFAULTS
OF_WHOLE = frozenset({"deadline", "labels", "on_failure"})
"""Defaults that are for a graph as a whole, and not for the jobs that its nodes define."""
FLOW_FIELDS = OWN_FIELDS | SCHEDULE_FIELDS | GRAPH_RUN_OPTIONS
"""The fields of a graph besides its own: those of any job that can be started and scheduled."""
GRAPH_FIELDS = FLOW_FIELDS | frozenset(Graph.__struct_fields__)
INLINE_FIELDS = TARGET_FIELDS | (JOB_FIELDS - frozenset(Node.__struct_fields__) - {"labels"})
"""The fields of a node that defines its own work: the work, and policies that nodes lack.

Without labels, since runs of nodes have none."""
