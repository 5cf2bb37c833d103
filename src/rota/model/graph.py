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

Isolation = Literal["thread", "process"]
"""Where a handler runs; jobs and nodes say it."""

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
"""What a node asks of its direct parents before it runs."""
Kind = Literal["work", "branch", "short_circuit", "setup", "teardown", "notify"]
ASIDE: tuple[Kind, ...] = ("teardown", "notify")
"""Kinds that stand aside: no branch leaves them out, no failure elsewhere keeps them from
starting, and the outcome of a run does not depend on them (a teardown may say otherwise)."""
Mode = Literal["ignore", "finish", "fail_fast"]
"""What a failed node means for those that do not depend on it: nothing; those that run may
finish and no others start; or those that run are cancelled, too."""


class _Data(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Written down without its defaults; an unknown field is refused."""


class Map(_Data, frozen=True):
    """One node, many instances: a list is taken apart, the results come back in its order."""

    over: Any
    """A list, or a reference to one."""
    into: str | None = None
    """The argument that takes the item; without it, `args` say `{"$item": ...}`."""
    batch: int = 1
    """So many items to an instance; with more than one, it is given a list of them."""
    concurrency: int | None = None
    """So many instances at once."""
    tolerate: int | str = 0
    """Failed instances that do not fail the node: a number, or a share such as `5%`."""


class Cache(_Data, frozen=True):
    """A result may be reused by runs with the same key; the node is then skipped and says so."""

    key: Any = None
    """A value with references; without it, all arguments are the key."""
    ttl: str | None = None
    """How long a result may be reused; for ever if not said."""


class Node(_Data, frozen=True):
    """A place in a graph: a job or another graph, and what it waits for."""

    name: str
    job: str | None = None
    graph: str | None = None
    args: dict[str, Any] = {}
    after: tuple[str, ...] = ()
    """Parents besides those whose results are mentioned."""
    join: Join = "all_success"
    when: str | None = None
    """An expression; if it is false when the parents allow the node, the node is skipped."""
    map: Map | None = None
    kind: Kind = "work"
    """branch: the result names the children that run. short_circuit: if the result is false,
    nothing after it runs. setup and teardown: made before and cleared away after others.
    notify: tells people of the others; how it ends changes nothing."""
    setups: tuple[str, ...] = ()
    """Of a teardown: the setups it clears away after, when all between them is done."""
    fails_run: bool = False
    """Of a teardown: its failure counts for the outcome of the run."""
    group: str | None = None
    """Drawn together; `load/parts` lies within `load`."""
    retries: int | None = None
    timeout: str | None = None
    queue: str | None = None
    priority: int | Literal["critical_path"] | None = None
    """The longer the way to the end, the sooner: `critical_path`."""
    isolation: Isolation | None = None
    cache: Cache | None = None


class Parameter(_Data, frozen=True):
    """What a run of the graph is given."""

    type: str = "Any"
    """The annotation, for people, forms and checks."""
    default: Any = msgspec.UNSET
    """Without one it must be given."""


class Graph(_Data, frozen=True):
    """A named set of nodes; each change of it is a new version."""

    name: str
    nodes: tuple[Node, ...]
    parameters: dict[str, Parameter] = {}
    result: Any = None
    """What a run of it gives back; a value with references."""
    description: str = ""
    mode: Mode = "ignore"
    timeout: str | None = None
    retries: int = 0
    """How often a run that failed is begun again, from what failed."""
    max_nodes: int | None = None
    """So many nodes of one run at once."""
    max_runs: int | None = None
    """So many runs of the graph at once; others wait."""
    depends_on_past: bool = False
    """A run waits for the one before it, and does not start if that one failed."""
