"""JobSpec: the one validated definition that Python, files and the API all produce.

A changed definition is a new immutable version; runs are pinned to the version they started with.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.model.graphs.graph import Cache, Graph
from rota.model.jobs.isolation import Isolation
from rota.model.runs.labels import Labels

Delivery = Literal["at_least_once", "at_most_once"]
Backoff = Literal["none", "fixed", "exponential", "custom"]

PRIORITIES = {"high": 10, "medium": 0, "low": -10}


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """When a failed attempt is tried again; `limit` counts retries, not attempts."""

    limit: int = 3
    backoff: Backoff = "exponential"
    delay_ms: int = 1_000
    factor: float = 2.0
    cap_ms: int = 3_600_000
    jitter: float = 0.0
    """Share of the delay that is random: 0 none, 1 anywhere between nothing and the whole delay."""
    within_ms: int | None = None
    """No retry may start later than this after the run was first due."""
    retry_on: tuple[str, ...] = ()
    give_up_on: tuple[str, ...] = ()


class Breaker(msgspec.Struct, frozen=True, kw_only=True):
    """When to hold back all runs of a job: its attempts end badly too often.

    Opens when at least `least` attempts ended within the window and this share of them badly.
    Durations are text such as `1m`, or seconds.
    """

    share: float
    least: int
    window: str | float = "1m"
    cool: str | float = "30s"
    """How long to wait before one run may try; doubles each time such a run ends badly."""
    cool_cap: str | float = "10m"
    pauses: bool = False
    """Whether it stays open until a person closes it."""


class PythonTarget(msgspec.Struct, frozen=True, kw_only=True, tag="python"):
    """A function found by import."""

    ref: str
    is_async: bool = False


class CommandTarget(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """A program started without a shell; `{name}` in an item is replaced by that argument."""

    argv: tuple[str, ...]
    env: dict[str, str] = {}
    cwd: str | None = None
    ok_codes: tuple[int, ...] = (0,)
    retry_codes: tuple[int, ...] | None = None
    """Exit codes worth another attempt; None means all that are not ok."""


class HttpTarget(msgspec.Struct, frozen=True, kw_only=True, tag="http"):
    """An HTTP request; `{name}` in url, headers and body is replaced by that argument."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = {}
    body: str | None = None
    expect: tuple[int, ...] = ()
    """Expected statuses; empty means any 2xx."""
    allow_private: bool = False


class GraphTarget(msgspec.Struct, frozen=True, kw_only=True, tag="graph"):
    """Other jobs in an order; a run of it becomes runs of its nodes."""

    graph: Graph


Target = PythonTarget | CommandTarget | HttpTarget | GraphTarget


class JobSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A named piece of work and the policies it runs under."""

    name: str
    target: Target
    queue: str = "default"
    priority: int = 0
    retry: RetryPolicy = RetryPolicy()
    timeout_ms: int | None = None
    expires_ms: int | None = None
    """The longest wait in its queue after which a run may still start."""
    deadline: str | msgspec.UnsetType = msgspec.UNSET
    """When its runs have to have ended: `2h` after the time they are for, or `07:00 Asia/Tokyo`."""
    delivery: Delivery = "at_least_once"
    isolation: Isolation = "thread"
    memory_mb: int | None = None
    max_crashes: int | msgspec.UnsetType = msgspec.UNSET
    """How many process deaths, with the run alone in it, end the run; unset for the default."""
    max_losses: int | msgspec.UnsetType = msgspec.UNSET
    """How many worker deaths, with the run as the only suspect, end the run; 0 for never."""
    breaker: Breaker | None = None
    dependencies: tuple[str, ...] = ()
    """Jobs whose runs for the same time must have succeeded before a run of this one starts."""
    on_failure: str | msgspec.UnsetType = msgspec.UNSET
    """The job of which a run is submitted when a run of this one has failed for good."""
    cache: Cache | None = None
    """The rule for reusing its results; a key mentions its arguments as parameters."""
    parameters: dict[str, str] = {}
    """The annotation of each parameter, for people and for forms."""
    defaults: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """The defaults of a function's parameters; null also where JSON cannot express the value.

    Unset where they are not known: definitions of older versions did not record them.
    """
    schemas: dict[str, dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    """JSON Schemas of parameters whose types are classes of the code; `{}` allows anything."""
    more: str | msgspec.UnsetType = msgspec.UNSET
    """The annotation of `**kwargs`: its runs take arguments of other names, too."""
    description: str | msgspec.UnsetType = msgspec.UNSET
    """Its purpose in the words of its author; unset where there are none."""
    labels: Labels | msgspec.UnsetType = msgspec.UNSET
    """Labels that its runs get at their submit; unset where there are none."""

    @property
    def run_labels(self) -> Labels | None:
        """The labels of its runs; None if there are none."""
        return None if self.labels is msgspec.UNSET else self.labels


def retry_of(spec: JobSpec) -> RetryPolicy:
    """Return the retry policy of a job's runs; for a graph, the graph sets the limit."""
    if isinstance(spec.target, GraphTarget):
        return msgspec.structs.replace(spec.retry, limit=spec.target.graph.retries)
    return spec.retry


class PolicyChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The changes of one submit to its job's policies; None or unset keeps that of the job."""

    retry: RetryPolicy | None = None
    timeout_ms: int | None = None
    isolation: Isolation | None = None
    fresh: bool = False
    """Whether to carry it out even if its result is cached."""
    memo_key: str | None = None
    """For a graph that has begun: the key to cache its result under; `memo_ms` is for how long."""
    memo_ms: int = 0
    failure_of: str | None = None
    """The failed run that an `on_failure` run reports. It stays with reruns, and with its nodes."""


_policy = msgspec.json.Decoder(PolicyChange)


def failure_of(policy: str | None) -> str | None:
    """Return the failed run that a run of this policy reports, or None."""
    if policy is None or '"failure_of"' not in policy:
        return None
    return _policy.decode(policy).failure_of
