"""Graphs as data: nodes, what they wait for, and the policies of a whole.

A value in `args`, `map.over` or `result` is plain JSON in which an object with one key that
begins with `$` stands for something known later:

    {"$ref": "load"}              the result of node load; null if it has none
    {"$ref": "load.rows[0].id"}   a part of it
    {"$error": "load"}            how node load failed: type and message; null if it did not
    {"$error": "load.message"}    a part of it
    {"$param": "day"}             a parameter of the graph, or a part of it
    {"$item": ""}                 the item of a mapped node, or a part of it: {"$item": "name"}
    {"$run": "scheduled_day"}     a fact of the run of the graph (rota.rules.runs.times)
    {"$expr": "params.n * 2"}     a safe expression; may name nodes, params, run, item and index
    {"$literal": {"$ref": "x"}}   just that, as it stands

Texts stay as people wrote them (`90s`, `5%`); `rota.rules` reads them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.model.jobs.isolation import Isolation

Join = Literal[
    "all_success",
    "all_failed",
    "all_done",
    "all_done_setup_success",
    "all_done_min_one_success",
    "all_skipped",
    "one_failed",
    "one_success",
    "one_done",
    "none_failed",
    "none_failed_min_one_success",
    "none_skipped",
    "always",
]
"""The condition on a node's direct parents under which it runs."""
Kind = Literal["work", "branch", "short_circuit", "setup", "teardown", "notify"]
ASIDE: tuple[Kind, ...] = ("teardown", "notify")
"""Kinds that stand aside: no branch leaves them out, no failure elsewhere keeps them from starting,
and the outcome of a run does not depend on them, unless a teardown sets `fails_run`.
"""
Mode = Literal["ignore", "finish", "fail_fast"]
"""The effect of a failed node on nodes that do not depend on it: none; running ones may finish and
no others start; or running ones are cancelled, too.
"""


class _Data(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The base of graph data: encoded without defaults; an unknown field is refused."""


class Map(_Data, frozen=True):
    """One node, many instances: a list is taken apart, the results come back in its order."""

    over: Any
    """A list, or a reference to one."""
    into: str | None = None
    """The argument that takes the item; without it, `args` use `{"$item": ...}`."""
    batch: int = 1
    """The number of items for an instance; with more than one, it gets a list of them."""
    concurrency: int | None = None
    """The maximum number of instances at once."""
    tolerate: int | str = 0
    """Failed instances that do not fail the node: a number, or a share such as `5%`."""


class Cache(_Data, frozen=True):
    """A result may be reused by runs with the same key; the node is then skipped and says so."""

    key: Any = None
    """A value with references; without it, all arguments are the key."""
    ttl: str | None = None
    """How long a result may be reused; for ever by default."""


class Node(_Data, frozen=True):
    """A place in a graph: a job or another graph, and what it waits for."""

    name: str
    job: str | None = None
    graph: str | None = None
    args: dict[str, Any] = {}
    after: tuple[str, ...] = ()
    """Parents besides those whose results the node refers to."""
    join: Join = "all_success"
    when: str | None = None
    """An expression; if it is false when the parents allow the node, the node is skipped."""
    map: Map | None = None
    kind: Kind = "work"
    """The role of the node. branch: the result names the children that run. short_circuit: if the
    result is false, nothing after it runs. setup and teardown: create what other nodes need, and
    remove it afterwards. notify: reports on other nodes; its own outcome changes nothing.
    """
    setups: tuple[str, ...] = ()
    """For a teardown: the setups it clears away after, when all nodes between them are done."""
    fails_run: bool = False
    """For a teardown: its failure counts for the outcome of the run."""
    group: str | None = None
    """The nodes of a group are drawn together; `load/parts` lies within `load`."""
    retries: int | None = None
    timeout: str | None = None
    queue: str | None = None
    priority: int | Literal["critical_path"] | None = None
    """With `critical_path`, a node starts the sooner the longer its way to the end is."""
    isolation: Isolation | None = None
    cache: Cache | None = None


class Parameter(_Data, frozen=True):
    """A parameter of the graph: its type and default."""

    type: str = "Any"
    """The annotation, for people, forms and checks."""
    default: Any = msgspec.UNSET
    """The value if none is given; without a default, one must be given."""


class Graph(_Data, frozen=True):
    """A named set of nodes; each change of it is a new version."""

    name: str
    nodes: tuple[Node, ...]
    parameters: dict[str, Parameter] = {}
    result: Any = None
    """The result of a run of the graph; a value with references."""
    description: str = ""
    mode: Mode = "ignore"
    timeout: str | None = None
    retries: int = 0
    """How often a failed run is begun again, from the nodes that failed."""
    max_nodes: int | None = None
    """The maximum number of nodes of one run at once."""
    max_runs: int | None = None
    """The maximum number of runs of the graph at once; others wait."""
    depends_on_past: bool = False
    """Whether a run waits for the previous run, and does not start if that one failed."""
