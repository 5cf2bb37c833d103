"""The second implementation of the rest: maps, conditions, branches, short circuits, modes.

Like the other one it keeps words for states and checks everything again and again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.graph_reference import FINAL, Reference, Spec, after, what_becomes_of

At = tuple[str, int | None]
"""A node, and the number of its instance."""


class WideReference(Reference):
    """A reference whose specs also have map (or None) {width, cap, tolerate} and when (a node)."""

    def __init__(self, specs: Spec, mode: str) -> None:
        self.mode = mode
        self.is_tripped = False
        self.done: dict[str, dict[int, str]] = {name: {} for name in specs}
        self.made: dict[str, int] = {}
        self.stopping: set[str] = set()
        """Mapped nodes that fail once their running instances have ended."""
        super().__init__(specs)

    def at_work(self) -> list[At]:
        """Return all running nodes, instance by instance."""
        found: list[At] = []
        for name in self.running():
            if self.specs[name]["map"] is None:
                found.append((name, None))
            else:
                places = range(self.made[name])
                found += [(name, at) for at in places if at not in self.done[name]]
        return found

    def end_some(self, endings: Mapping[At, tuple[str, Any]]) -> None:
        """End these with a word, and, for nodes that decide, with what they decided."""
        for (name, item), (word, decided) in endings.items():
            if item is None:
                self.states[name] = word
                if word == "success":
                    self._decide(name, decided)
            else:
                self.done[name][item] = word
        mapped = {name for name, item in endings if item is not None}
        self.stopping |= {name for name in mapped if self._has_failed_too_often(name)}
        failed = [
            name
            for name in {name for name, _ in endings}
            if (self.states[name] == "failed" or name in self.stopping) and self._counts(name)
        ]
        if failed and self.mode != "ignore" and not self.is_tripped:
            self.is_tripped = True
            self.stopping |= {name for name in self.running() if self._has_more(name)}
            for name, state in self.states.items():
                if state == "waits" and self.specs[name]["kind"] != "teardown":
                    self.states[name] = "skipped"
        # Only now: after a failure that lets nothing else start, no place is filled again.
        for name in mapped:
            self._count(name)
        self._settle()

    def outcome(self) -> str:
        return "failed" if self.is_tripped else super().outcome()

    def _counts(self, name: str) -> bool:
        return self.specs[name]["kind"] != "teardown" or bool(self.specs[name]["fails_run"])

    def _decide(self, name: str, decided: Any) -> None:
        kind = self.specs[name]["kind"]
        skips: list[str] = []
        if kind == "branch":
            skips = self.unchosen(name, decided)
        elif kind == "short_circuit" and not decided:
            below = after(self.specs, name)
            skips = [each for each in below if self.specs[each]["kind"] != "teardown"]
        for each in skips:
            if self.states[each] == "waits":
                self.states[each] = "skipped"

    def _has_failed_too_often(self, name: str) -> bool:
        failures = list(self.done[name].values()).count("failed")
        return bool(failures > self.specs[name]["map"]["tolerate"])

    def _count(self, name: str) -> None:
        mapped = self.specs[name]["map"]
        words = list(self.done[name].values())
        if name in self.stopping:
            self.states[name] = "failed" if len(words) == self.made[name] else "runs"
        elif len(words) == mapped["width"]:
            self.states[name] = "success"
        else:
            cap = mapped["cap"] or mapped["width"]
            self.made[name] = max(self.made[name], min(mapped["width"], len(words) + cap))

    def _has_more(self, name: str) -> bool:
        """Whether a mapped node has items that have not begun."""
        mapped = self.specs[name]["map"]
        return mapped is not None and self.made[name] < mapped["width"]

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
                self.states[name] = self._begun(name, seen) if word == "run" else word

    def _begun(self, name: str, seen: Mapping[str, str]) -> str:
        when, mapped = self.specs[name]["when"], self.specs[name]["map"]
        if when is not None and seen.get(when) != "success":
            return "skipped"
        if mapped is None:
            return "runs"
        self.made[name] = min(mapped["width"], mapped["cap"] or mapped["width"])
        return "runs" if mapped["width"] else "success"
