"""Read the text of a job file into a Bundle; all is checked, and errors name their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.errors import BadFile, BadInput
from rota.model.jobs.bundle import Bundle, BundledSchedule
from rota.model.jobs.spec import Breaker, GraphTarget, JobSpec
from rota.model.schedules.definitions import Blackout, Calendar, Schedule
from rota.rules.jobs.cache_options import parse_cache
from rota.rules.jobs.files.alerts import read_channels, read_rules
from rota.rules.jobs.files.field import Field
from rota.rules.jobs.files.graphs import FileGraph, graph_fields, read_flow
from rota.rules.jobs.files.known import (
    COMMAND_DEFAULTS,
    DEFAULT_FIELDS,
    FLOW_FIELDS,
    JOB_FIELDS,
    OF_WHOLE,
    OWN_FIELDS,
    SCHEDULE_FIELDS,
    TOP_FIELDS,
)
from rota.rules.jobs.files.targets import TARGET_FIELDS, read_target
from rota.rules.jobs.files.yaml12 import YamlDocument, read_yaml
from rota.rules.jobs.options import job_options
from rota.rules.jobs.stored_signature import check_schedule
from rota.rules.schedules.calendars import business_days
from rota.rules.schedules.option_table import SCHEDULE_OPTIONS
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.trigger_options import read_trigger
from rota.rules.schedules.windows import compile_blackout
from rota.rules.text.names import check_name

MAX_JOBS = 10_000
_NO_CALENDARS: Mapping[str, Calendar] = {}


def read_bundle(
    data: bytes, file: str, *, calendars: Mapping[str, Calendar] = _NO_CALENDARS
) -> Bundle:
    """Return the definitions of a file; BadFile says where it is wrong and what to do.

    `calendars` are the stored ones, which the file may name without defining them.
    """
    documents = read_yaml(data, file)
    if len(documents) != 1:
        raise BadFile(f"{file}: a job file is one YAML document; this has {len(documents)}")
    return _Reader(documents[0], calendars).bundle()


class _Reader:
    """Reads one document: calendars and defaults first, then the jobs."""

    def __init__(self, document: YamlDocument, calendars: Mapping[str, Calendar]) -> None:
        self._root = Field(document, document.value)
        is_graph = isinstance(document.value, dict) and "nodes" in document.value
        self._top = {} if is_graph else self._root.fields(TOP_FIELDS)
        self._flows = graph_fields(self._root)
        self._calendars = dict(calendars)
        self._schedules: dict[str, BundledSchedule] = {}
        self._places: dict[str, str] = {}

    def bundle(self) -> Bundle:
        if not self._top.keys() & {"jobs", "alerts"} and not self._flows:
            raise self._root.refusal("it has no jobs; write them under `jobs:`")
        name = self._root.document.file.rsplit("/", 1)[-1]
        if "bundle" in self._top:
            name = self._top["bundle"].text()
        with self._top.get("bundle", self._root).blamed():
            check_name("bundle", name)
        own = {name: _calendar(field) for name, field in self._part("calendars")}
        self._calendars |= own
        jobs = self._part("jobs")
        if len(jobs) > MAX_JOBS:
            raise self._top["jobs"].refusal(f"{len(jobs):,} jobs are more than {MAX_JOBS:,}")
        specs = {name: self._job(name, field) for name, field in jobs}
        for flow_name, field in self._flows.items():
            self._add_flow(specs, flow_name, field)
        return Bundle(
            name=name,
            jobs=specs,
            schedules=self._schedules,
            calendars=own,
            blackouts={name: _blackout(field) for name, field in self._part("blackouts")},
            channels=read_channels(self._top.get("alerts")),
            alert_rules=read_rules(self._top.get("alerts")),
            places=self._places,
        )

    def _part(self, key: str) -> list[tuple[str, Field]]:
        if key not in self._top or self._top[key].value is None:
            return []
        parts = list(self._top[key].fields().items())
        for name, field in parts:
            with field.blamed():
                check_name(key.removesuffix("s"), name)
        return parts

    def _job(self, name: str, field: Field) -> JobSpec:
        allowed = JOB_FIELDS | SCHEDULE_FIELDS | TARGET_FIELDS | OWN_FIELDS
        fields = _with_defaults(self._defaults(name), field.fields(allowed))
        spec = _spec(name, field, fields)
        self._places[name] = field.document.place(field.path)
        self._add_schedules(spec, field, fields)
        return spec

    def _add_flow(self, specs: dict[str, JobSpec], name: str, field: Field) -> None:
        """Add the job of a graph, and the jobs that its nodes define."""
        with field.blamed():
            check_name("graph", name)
        flow = read_flow(name, field)
        self._places[name] = field.document.place(field.path)
        for each in flow.graph.nodes:
            at = (*field.path, "nodes", each.name)
            self._places[f"{name}/{each.name}"] = field.document.place(at)
        for job in (name, *flow.inline):
            if job in specs:
                raise field.refusal(f"a job is named {job!r:.140} as well; give one another name")
        defaults = self._defaults(name)
        of_nodes = {key: each for key, each in defaults.items() if key not in OF_WHOLE}
        for job, (node, fields) in flow.inline.items():
            specs[job] = _spec(job, node, _with_defaults(of_nodes, fields))
        shared = {key: each for key, each in defaults.items() if key in FLOW_FIELDS}
        specs[name] = _flow_spec(name, field, flow, shared | flow.own)
        self._add_schedules(specs[name], field, shared | flow.own)

    def _defaults(self, job: str) -> dict[str, Field]:
        """Return the defaults for a job; the handler of all failures does not handle its own."""
        if "defaults" not in self._top or self._top["defaults"].value is None:
            return {}
        defaults = self._top["defaults"].fields(DEFAULT_FIELDS)
        if "on_failure" in defaults and defaults["on_failure"].value == job:
            del defaults["on_failure"]
        return defaults

    def _add_schedules(self, spec: JobSpec, job: Field, fields: Mapping[str, Field]) -> None:
        if "schedule" in fields and "schedules" in fields:
            raise fields["schedules"].refusal("give schedule or schedules, not both")
        common = {key: each for key, each in fields.items() if key in SCHEDULE_FIELDS}
        arguments = fields.get("arguments")
        schedules = _schedule_fields(spec.name, fields)
        own = [key for key in job.value if key in SCHEDULE_FIELDS or key == "arguments"]
        if not schedules and own:
            raise fields[own[0]].refusal("this is for a schedule, and the job has none")
        for name, field in schedules:
            if name in self._schedules:
                raise field.refusal(f"another schedule is named {name!r}; give one of them a name:")
            schedule = self._schedule(field, common, arguments)
            _check_arguments(spec, schedule, arguments or field)
            self._schedules[name] = BundledSchedule(job=spec.name, schedule=schedule)

    def _schedule(
        self, field: Field, common: Mapping[str, Field], arguments: Field | None
    ) -> Schedule:
        value = field.value
        shared = {key: each.value for key, each in common.items()}
        if arguments is not None:
            shared["args"] = arguments.value
        if isinstance(value, dict):
            value = {("args" if key == "arguments" else key): value[key] for key in value}
            value.pop("name", None)
        try:
            return read_schedule(value, shared, calendars=self._calendars)
        except BadInput as error:
            blamed = self._blamed(field, common, arguments)
            raise blamed.refusal(str(error)) from error

    def _blamed(self, field: Field, common: Mapping[str, Field], arguments: Field | None) -> Field:
        """Return the field to blame: the option that is refused even alone, else the schedule."""
        own = field.fields() if isinstance(field.value, dict) else {}
        beside = dict(common) if arguments is None else {**common, "args": arguments}
        for key, each in {**beside, **own}.items():
            option = "args" if key == "arguments" else key
            if option in SCHEDULE_OPTIONS and _refuses(option, each.value, self._calendars):
                return each
        return next((own[key] for key in ("cron", "every", "at", "rrule") if key in own), field)


def _with_defaults(defaults: Mapping[str, Field], own: dict[str, Field]) -> dict[str, Field]:
    """Merge defaults into a job; its own win. `env` merges by variable, in commands only."""
    if "command" not in own:
        return {key: defaults[key] for key in defaults.keys() - COMMAND_DEFAULTS} | own
    both = {**defaults, **own}
    shared, mine = defaults.get("env"), own.get("env")
    if shared and mine and isinstance(shared.value, dict) and isinstance(mine.value, dict):
        both["env"] = Field(mine.document, {**shared.value, **mine.value}, mine.path)
    return both


def _spec(name: str, field: Field, fields: Mapping[str, Field]) -> JobSpec:
    target, declared = read_target(field, fields)
    options = {key: each for key, each in fields.items() if key in JOB_FIELDS}
    spec = JobSpec(target=target, **declared._asdict(), **_options(name, field, options))
    if spec.cache is not None and spec.parameters:
        with options.get("cache", field).blamed():
            parse_cache(spec.cache, spec.parameters)
    return spec


def _flow_spec(name: str, field: Field, flow: FileGraph, fields: Mapping[str, Field]) -> JobSpec:
    options = {key: each for key, each in fields.items() if key in JOB_FIELDS}
    parameters = {key: each.type for key, each in flow.graph.parameters.items()}
    return JobSpec(
        target=GraphTarget(graph=flow.graph),
        parameters=parameters,
        **_options(name, field, options),
    )


def _refuses(option: str, value: Any, calendars: Mapping[str, Calendar]) -> bool:
    try:
        read_schedule("@daily", {option: value}, calendars=calendars)
    except BadInput:
        return option not in ("roll", "parallel")  # these need company
    return False


def _schedule_fields(job: str, fields: Mapping[str, Field]) -> list[tuple[str, Field]]:
    """Return the schedules with their names: the job's for one, `job.2` and so on for more."""
    field = fields.get("schedule") or fields.get("schedules")
    if field is None or field.value is None:
        return []
    if "schedules" in fields and isinstance(field.value, dict):
        return [(_name(each, name), each) for name, each in field.fields().items()]
    pairs = []
    for at, each in enumerate(field.items(), start=1):
        name = job if at == 1 else f"{job}.{at}"
        if isinstance(each.value, dict) and "name" in each.value:
            name = each.fields()["name"].text()
        pairs.append((_name(each, name), each))
    return pairs


def _name(field: Field, name: str) -> str:
    with field.blamed():
        return check_name("schedule", name)


def _options(name: str, job: Field, fields: Mapping[str, Field]) -> dict[str, Any]:
    options = {key: _plain(field) for key, field in fields.items()}
    try:
        return job_options(name, options).spec_fields()
    except BadInput as error:
        for key, field in fields.items():
            with field.blamed():
                job_options(name, {key: options[key]})
        raise job.refusal(str(error)) from error


def _plain(field: Field) -> Any:
    """Return a field in the form that Python options have; a full breaker is a mapping here."""
    if field.path[-1] != "breaker" or not isinstance(field.value, dict):
        return field.value
    try:
        return msgspec.convert(field.value, type=Breaker)
    except msgspec.ValidationError as error:
        raise field.refusal(str(error)) from error


def _check_arguments(spec: JobSpec, schedule: Schedule, field: Field) -> None:
    with field.blamed():
        check_schedule(schedule, spec)


def _calendar(field: Field) -> Calendar:
    with field.blamed():
        schedule = read_schedule("@daily", {"calendar": field.value})
        calendar = schedule.calendar
        if not isinstance(calendar, Calendar):
            raise field.refusal("a calendar is a mapping such as {country: FR}")
        business_days(calendar)
    return calendar


def _blackout(field: Field) -> Blackout:
    if not isinstance(field.value, dict):
        raise field.refusal(f"{field.value!r:.64} is not a mapping such as {{kind: skip, ...}}")
    with field.blamed():
        facts = dict(field.value)
        facts["zone"] = facts.pop("timezone", facts.get("zone", "UTC"))
        if facts.get("trigger") is not None:
            facts["trigger"] = msgspec.to_builtins(read_trigger(facts["trigger"], field="trigger"))
        try:
            blackout = msgspec.convert(facts, type=Blackout)
        except msgspec.ValidationError as error:
            raise field.refusal(str(error)) from error
        compile_blackout(blackout)
    return blackout
