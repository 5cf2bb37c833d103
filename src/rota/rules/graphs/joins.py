"""The thirteen join rules: counts of direct parents decide the fate of a node.

`WAIT` is never the answer when all parents are done, so no node can hang.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from rota.model.graphs.graph import Join


class JoinDecision(StrEnum):
    """The decision on a waiting node, given how its parents ended."""

    RUN = "run"
    WAIT = "wait"
    SKIP = "skip"
    UPSTREAM_FAILED = "upstream_failed"


class Ending(StrEnum):
    """The ending of a node, as its children count it; a cancelled node counts as failed."""

    SUCCESS = "success"
    FAILED = "failed"
    UPSTREAM_FAILED = "upstream_failed"
    SKIPPED = "skipped"
    REMOVED = "removed"


class Counts(NamedTuple):
    """How many direct parents, and how many relevant setups, ended in which way.

    The relevant setups of a teardown are those among its parents. For any other node they are the
    setups whose scope it is in without being their direct child.
    """

    total: int
    success: int = 0
    failed: int = 0
    upstream_failed: int = 0
    skipped: int = 0
    removed: int = 0
    setups: int = 0
    setup_success: int = 0
    setup_failed: int = 0
    """The number of setups that failed or were upstream_failed."""
    setup_skipped: int = 0

    @property
    def done(self) -> int:
        return self.success + self.failed + self.upstream_failed + self.skipped + self.removed

    @property
    def bad(self) -> int:
        return self.failed + self.upstream_failed

    @property
    def are_done(self) -> bool:
        return self.done >= self.total


Rule = Callable[[Counts], JoinDecision]


def all_success(of: Counts) -> JoinDecision:
    if of.success + of.removed == of.total:
        return JoinDecision.RUN
    if of.bad:
        return JoinDecision.UPSTREAM_FAILED
    return JoinDecision.SKIP if of.skipped else JoinDecision.WAIT


def all_failed(of: Counts) -> JoinDecision:
    if of.bad + of.removed == of.total:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.success or of.skipped else JoinDecision.WAIT


def all_done(of: Counts) -> JoinDecision:
    return JoinDecision.RUN if of.are_done else JoinDecision.WAIT


def all_done_setup_success(of: Counts) -> JoinDecision:
    """The join rule of teardowns: there is nothing to clear away if no setup succeeded."""
    if not of.are_done:
        return JoinDecision.WAIT
    if not of.setups or of.setup_success:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.setup_skipped == of.setups else JoinDecision.UPSTREAM_FAILED


def all_done_min_one_success(of: Counts) -> JoinDecision:
    if of.skipped:
        return JoinDecision.SKIP
    if not of.are_done:
        return JoinDecision.WAIT
    return JoinDecision.RUN if of.success else JoinDecision.UPSTREAM_FAILED


def all_skipped(of: Counts) -> JoinDecision:
    if of.skipped == of.total:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.success or of.bad or of.are_done else JoinDecision.WAIT


def one_failed(of: Counts) -> JoinDecision:
    if of.bad:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.are_done else JoinDecision.WAIT


def one_success(of: Counts) -> JoinDecision:
    if of.success:
        return JoinDecision.RUN
    if not of.are_done:
        return JoinDecision.WAIT
    return JoinDecision.SKIP if of.skipped == of.total else JoinDecision.UPSTREAM_FAILED


def one_done(of: Counts) -> JoinDecision:
    """The join rule `one_done`: parents that were skipped or held back do not count."""
    if of.success or of.failed:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.are_done else JoinDecision.WAIT


def none_failed(of: Counts) -> JoinDecision:
    if of.bad:
        return JoinDecision.UPSTREAM_FAILED
    return JoinDecision.RUN if of.are_done else JoinDecision.WAIT


def none_failed_min_one_success(of: Counts) -> JoinDecision:
    if of.bad:
        return JoinDecision.UPSTREAM_FAILED
    if not of.are_done:
        return JoinDecision.WAIT
    if of.success:
        return JoinDecision.RUN
    return JoinDecision.SKIP if of.skipped == of.total else JoinDecision.UPSTREAM_FAILED


def none_skipped(of: Counts) -> JoinDecision:
    if of.skipped:
        return JoinDecision.SKIP
    return JoinDecision.RUN if of.are_done else JoinDecision.WAIT


def always(_: Counts) -> JoinDecision:
    return JoinDecision.RUN


JOINS: Mapping[Join, Rule] = {
    "all_success": all_success,
    "all_failed": all_failed,
    "all_done": all_done,
    "all_done_setup_success": all_done_setup_success,
    "all_done_min_one_success": all_done_min_one_success,
    "all_skipped": all_skipped,
    "one_failed": one_failed,
    "one_success": one_success,
    "one_done": one_done,
    "none_failed": none_failed,
    "none_failed_min_one_success": none_failed_min_one_success,
    "none_skipped": none_skipped,
    "always": always,
}


def judge(join: Join, counts: Counts, *, is_teardown: bool = False) -> JoinDecision:
    """Decide the fate of a waiting node; a node without parents always runs.

    Setups whose scope a node is in, without being their child, must all succeed as well: a failed
    one holds the node back at once, whatever its join. Only `always` ignores them.
    """
    if join != "always" and counts.setups and not is_teardown:
        scope = _scope(counts)
        if scope is not JoinDecision.RUN:
            return scope
    return JOINS[join](counts) if counts.total else JoinDecision.RUN


def _scope(of: Counts) -> JoinDecision:
    if of.setup_failed:
        return JoinDecision.UPSTREAM_FAILED
    if of.setup_skipped:
        return JoinDecision.SKIP
    return JoinDecision.RUN if of.setup_success == of.setups else JoinDecision.WAIT


def ending_of(verdict: JoinDecision) -> Ending:
    """Return the ending of a node that its parents prevented from running."""
    return Ending.SKIPPED if verdict is JoinDecision.SKIP else Ending.UPSTREAM_FAILED


def counted(counts: Counts, ending: Ending, *, is_parent: bool = True, is_setup: bool) -> Counts:
    """Return the counts after one more ending: of a parent, a relevant setup, or both."""
    changes: dict[str, int] = {}
    if is_parent:
        changes[ending.value] = getattr(counts, ending.value) + 1
    if is_setup:
        field = _SETUP_FIELDS[ending]
        changes[field] = getattr(counts, field) + 1
    return counts._replace(**changes)


_SETUP_FIELDS = {
    Ending.SUCCESS: "setup_success",
    Ending.FAILED: "setup_failed",
    Ending.UPSTREAM_FAILED: "setup_failed",
    Ending.SKIPPED: "setup_skipped",
    Ending.REMOVED: "setup_success",
}
