"""A second implementation of graphs: slow, plain, and sharing no code with the first.

Nodes are dictionaries and states are words. After each batch of endings it checks every waiting
node and all states of its parents, again and again, until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Spec = Mapping[str, Any]
"""name -> {parents: [...], join: "...", kind: "...", setups: [...], fails_run: bool}"""

FINAL = ("success", "failed", "upstream_failed", "skipped", "removed")


def after(specs: Spec, name: str) -> set[str]:
    """Return all nodes that a path from this one reaches."""
    found: set[str] = set()
    while True:
        more = {
            each
            for each, spec in specs.items()
            if each not in found and (set(spec["parents"]) & (found | {name}))
        }
        if not more:
            return found
        found |= more


def parents_of(specs: Spec, name: str) -> set[str]:
    """Return direct parents; of a teardown also all nodes between its setups and itself."""
    spec = specs[name]
    parents = set(spec["parents"])
    if spec["kind"] == "teardown":
        for each in specs:
            is_between = name in after(specs, each) and any(
                each in after(specs, setup) for setup in spec["setups"]
            )
            if is_between and specs[each]["kind"] != "teardown":
                parents.add(each)
    return parents


def relied_on(specs: Spec, name: str) -> set[str]:
    """Return the setups whose scope a node is in without being their child."""
    found = set()
    for setup, spec in specs.items():
        if spec["kind"] != "setup" or name not in after(specs, setup):
            continue
        teardowns = [each for each, other in specs.items() if setup in other["setups"]]
        in_scope = not teardowns or any(each in after(specs, name) for each in teardowns)
        if in_scope and setup not in specs[name]["parents"]:
            found.add(setup)
    return found


def what_becomes_of(  # noqa: PLR0911
    specs: Spec, name: str, states: Mapping[str, str]
) -> str:
    """`run`, `wait`, `skipped` or `upstream_failed`, by the words of the documentation."""
    spec = specs[name]
    parents = parents_of(specs, name)
    if spec["kind"] == "teardown":
        seen = [states.get(each, "waits") for each in spec["setups"]]
        if any(states.get(each, "waits") == "waits" for each in parents):
            return "wait"
        if "success" in seen or "removed" in seen:
            return "run"
        return "skipped" if set(seen) == {"skipped"} else "upstream_failed"
    if spec["join"] == "always":
        return "run"
    setups = [states.get(each, "waits") for each in relied_on(specs, name)]
    if "failed" in setups or "upstream_failed" in setups:
        return "upstream_failed"
    if "skipped" in setups:
        return "skipped"
    if "waits" in setups:
        return "wait"
    if not parents:
        return "run"
    return by_join(spec["join"], [states.get(each, "waits") for each in parents])


def by_join(join: str, seen: list[str]) -> str:  # noqa: C901, PLR0911, PLR0912
    """Apply one rule after the other, each as a sentence about the list of the parents' states."""
    all_done = "waits" not in seen
    failed = "failed" in seen or "upstream_failed" in seen
    skipped = "skipped" in seen
    succeeded = "success" in seen
    all_skipped = set(seen) == {"skipped"}
    if join == "all_success":
        if failed:
            return "upstream_failed"
        if skipped:
            return "skipped"
        return "run" if all_done else "wait"
    if join == "all_failed":
        if succeeded or skipped:
            return "skipped"
        return "run" if all_done else "wait"
    if join == "all_done":
        return "run" if all_done else "wait"
    if join == "all_done_setup_success":  # on a node that is no teardown: nobody is a setup
        return "run" if all_done else "wait"
    if join == "all_done_min_one_success":
        if skipped:
            return "skipped"
        if not all_done:
            return "wait"
        return "run" if succeeded else "upstream_failed"
    if join == "all_skipped":
        if all_skipped:
            return "run"
        return "skipped" if succeeded or failed or all_done else "wait"
    if join == "one_failed":
        if failed:
            return "run"
        return "skipped" if all_done else "wait"
    if join == "one_success":
        if succeeded:
            return "run"
        if not all_done:
            return "wait"
        return "skipped" if all_skipped else "upstream_failed"
    if join == "one_done":
        if succeeded or "failed" in seen:
            return "run"
        return "skipped" if all_done else "wait"
    if join == "none_failed":
        if failed:
            return "upstream_failed"
        return "run" if all_done else "wait"
    if join == "none_failed_min_one_success":
        if failed:
            return "upstream_failed"
        if not all_done:
            return "wait"
        if succeeded:
            return "run"
        return "skipped" if all_skipped else "upstream_failed"
    if join == "none_skipped":
        if skipped:
            return "skipped"
        return "run" if all_done else "wait"
    raise AssertionError(join)


class Reference:
    """A run, with the state of each node: `waits`, `runs`, or one of FINAL."""

    def __init__(self, specs: Spec) -> None:
        self.specs = specs
        self.states: dict[str, str] = dict.fromkeys(specs, "waits")
        self._settle()

    def end(self, endings: Mapping[str, str], skips: Iterable[str] = ()) -> None:
        for name, state in endings.items():
            assert self.states[name] == "runs"
            assert state in FINAL
            self.states[name] = state
        for name in skips:
            if self.states[name] == "waits":
                self.states[name] = "skipped"
        self._settle()

    def halt(self, begun: Iterable[str]) -> None:
        """End the run from outside: nodes that have not begun never do, teardowns apart."""
        begun = set(begun)
        for name, state in self.states.items():
            is_teardown = self.specs[name]["kind"] == "teardown"
            if not is_teardown and state in ("waits", "runs") and name not in begun:
                self.states[name] = "skipped"
        self._settle()

    def running(self) -> list[str]:
        return [name for name, state in self.states.items() if state == "runs"]

    def unchosen(self, branch: str, chosen: Iterable[str]) -> list[str]:
        """Return children of a branch that no path by a chosen one reaches."""
        chosen = list(chosen)
        return [
            name
            for name in self.specs
            if branch in parents_of(self.specs, name)
            and self.specs[name]["kind"] != "teardown"
            and name not in chosen
            and not any(name in after(self.specs, each) for each in chosen)
        ]

    def outcome(self) -> str:
        for name, spec in self.specs.items():
            below = [each for each in self.specs if name in self.specs[each]["parents"]]
            counts = (
                spec["fails_run"]
                if spec["kind"] == "teardown"
                else all(self.specs[each]["kind"] == "teardown" for each in below)
            )
            if counts and self.states[name] in ("failed", "upstream_failed"):
                return "failed"
        return "success"

    def _settle(self) -> None:
        while True:
            seen = {name: state for name, state in self.states.items() if state in FINAL}
            changes = {
                name: what_becomes_of(self.specs, name, seen)
                for name, state in self.states.items()
                if state == "waits"
            }
            changes = {name: word for name, word in changes.items() if word != "wait"}
            if not changes:
                return
            for name, word in changes.items():
                self.states[name] = "runs" if word == "run" else word
