"""Jobs from the REST API: a command or a request, optionally after other jobs.

A job with dependencies becomes a graph. A run of it first runs the dependencies side by side, and
the command once all of them have succeeded. The command itself is a separate job.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.errors import BadOption
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, JobSpec
from rota.rules.failures.on_failure import check_told_is_other
from rota.rules.graphs import plan_graph
from rota.rules.jobs.files.words import split_words
from rota.rules.jobs.options import job_options
from rota.rules.jobs.target_kinds import SCALAR, parameter_names
from rota.rules.security.egress import check_headers
from rota.rules.security.programs import check_command
from rota.rules.security.web_address import METHODS, apart

MOST_DEPENDENCIES = 100
OWN = ".command"
"""The suffix for the job that holds the command."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}")
_SIGN = re.compile(r"\W", re.ASCII)


class JobDefinition(NamedTuple):
    """The specs to store: the requested job is the last one."""

    specs: tuple[JobSpec, ...]

    @property
    def job(self) -> JobSpec:
        return self.specs[-1]


def check_job_name(name: str) -> str:
    """Check that a name fits paths, files and metrics, and cannot mean a parent folder."""
    if _NAME.fullmatch(name) and ".." not in name:
        return name
    raise BadOption(
        f"name: {name!r:.140} is not a name for a job: use up to 120 small letters, digits and . _ "
        "-, beginning with a letter or a digit, without two dots in a row"
    )


def command_target(
    command: str | Sequence[str], *, env: Mapping[str, str], cwd: str | None
) -> CommandTarget:
    """Return the target of a program and its arguments; no shell reads them."""
    argv = split_words(command) if isinstance(command, str) else list(command)
    check_command(argv, env)
    if any("\0" in word for word in (*argv, *env, *env.values(), cwd or "")):
        raise BadOption("command: it cannot hold a zero byte")
    for name in env:
        if not name or "=" in name:
            raise BadOption(f"env: {name!r:.64} is not a name for a variable")
    return CommandTarget(argv=tuple(argv), env=dict(env), cwd=cwd)


def http_target(
    url: str, *, method: str, headers: Mapping[str, str], body: str | None, expect: Sequence[int]
) -> HttpTarget:
    """Return the target of a request; private addresses are refused when the request is sent."""
    try:
        url, headers_sent = apart(url, headers)
    except BadOption as error:
        raise BadOption(f"http: {error}") from error
    if method.upper() not in METHODS:
        raise BadOption(f"http: {method!r:.20} is not one of {', '.join(METHODS)}")
    check_headers(headers_sent)
    return HttpTarget(
        url=url, method=method.upper(), headers=headers_sent, body=body, expect=tuple(expect)
    )


def define_job(
    name: str,
    target: CommandTarget | HttpTarget,
    options: Mapping[str, Any],
    dependencies: Mapping[str, JobSpec],
) -> JobDefinition:
    """Define a job and check it as a whole; `dependencies` are the current specs of others."""
    check_job_name(name)
    own = name + OWN if dependencies else name
    parameters = dict.fromkeys(parameter_names(target), SCALAR)
    fields = job_options(own, options).spec_fields()
    of_whole = {name: fields[name] for name in ("on_failure", "deadline", "labels")}
    if dependencies:  # one of them that fails is a failure of the job, too: the whole tells of it
        fields |= dict.fromkeys(of_whole, msgspec.UNSET)
    spec = JobSpec(target=target, parameters=parameters, **fields)
    if not dependencies:
        return JobDefinition((spec,))
    if parameters:
        raise BadOption(
            f"dependencies: the command takes {', '.join(parameters)}, and a job that comes after "
            "others takes no arguments"
        )
    if len(dependencies) > MOST_DEPENDENCIES:
        raise BadOption(f"dependencies: {len(dependencies)} are more than {MOST_DEPENDENCIES}")
    graph = Graph(name=name, nodes=_nodes(own, dependencies))
    check_told_is_other(name, of_whole["on_failure"])
    whole = JobSpec(
        name=name,
        target=GraphTarget(graph=plan_graph(graph).graph),
        queue=spec.queue,
        **of_whole,
    )
    return JobDefinition((spec, whole))


def _nodes(own: str, dependencies: Mapping[str, JobSpec]) -> tuple[Node, ...]:
    nodes: list[Node] = []
    used_names: set[str] = set()
    for dep, spec in dependencies.items():
        place = _place(dep, used_names)
        is_graph = _is_graph(spec)
        nodes.append(
            Node(name=place, job=None if is_graph else dep, graph=dep if is_graph else None)
        )
    after = tuple(node.name for node in nodes)
    return (*nodes, Node(name=_place("command", used_names), job=own, after=after))


def _place(text: str, used_names: set[str]) -> str:
    """Return an identifier for a node that no other node has."""
    base = _SIGN.sub("_", text)[:60]
    base = base if not base[:1].isdigit() else f"_{base}"
    place, number = base, 1
    while place in used_names:
        number += 1
        place = f"{base}_{number}"
    used_names.add(place)
    return place


def _is_graph(spec: JobSpec) -> bool:
    return isinstance(spec.target, GraphTarget)
