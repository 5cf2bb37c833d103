"""The base of jobs and graphs: inside a graph, a call of one makes a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

from rota.app.graphs.plain import current_call
from rota.app.graphs.trace import MAP_OPTIONS, check_options, current_trace, mapped_over
from rota.errors import BadGraph, BadOption, NotAllowed
from rota.rules.graphs.maps import parse_tolerance
from rota.rules.jobs.signature import Signature

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Callee(Protocol):
    """A job or a graph, which can be a node."""

    name: str
    signature: Signature
    target: str
    """The kind of target: `job` or `graph`."""

    def plainly(self, *args: Any, **kwargs: Any) -> Any: ...


class NodeCall(Generic[P, R]):
    """A job or a graph with options of a node: call it, or map it over items.

    To a type checker the call returns the result itself, so the values that nodes pass to each
    other are checked as in any function.
    """

    def __init__(self, callee: Callee, options: Mapping[str, Any]) -> None:
        check_options(options)
        self._callee = callee
        self._options = options

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Make a node; outside a graph, call the function here and now."""
        trace = current_trace()
        if trace is None:
            return cast("R", self._plainly(lambda: self._callee.plainly(*args, **kwargs)))
        for name in self._options:
            if name in MAP_OPTIONS:
                raise BadOption(f"{name}= is for .map(...)")
        values = self._callee.signature.arrange(args, kwargs)
        return cast("R", trace.add(self._target(), values, self._options))

    def map(self, items: Any, *args: Any, **kwargs: Any) -> list[R]:
        """Make one node with an instance for each item; the result is the list of their results.

        The item goes to the first parameter that is not given otherwise, or to `into=`.
        """
        into = self._options.get("into") or self._free_parameter(kwargs)
        trace = current_trace()
        if trace is None:
            called = self._plainly(lambda: self._map_plainly(items, into, args, kwargs))
            return cast("list[R]", called)
        values = self._callee.signature.arrange((), self._named(into, args, kwargs), but=into)
        options = {key: each for key, each in self._options.items() if key not in MAP_OPTIONS}
        mapped = mapped_over(items, into, self._options)
        return cast("list[R]", trace.add(self._target(), values, options, mapped))

    def _target(self) -> dict[str, str]:
        return {self._callee.target: self._callee.name}

    def _plainly(self, work: Callable[[], T]) -> T | None:
        """Return what the work returns; None if the node is skipped."""
        call = current_call()
        if call is not None:
            return call.node(self._target(), self._is_wanted, work)
        return work() if self._is_wanted() else None

    def _is_wanted(self) -> bool:
        when = self._options.get("when", True)
        if isinstance(when, bool):
            return when
        raise NotAllowed(
            f"when={when!r:.64} is for graphs that run; a plain call takes True or False"
        )

    def _free_parameter(self, kwargs: Mapping[str, Any]) -> str:
        free = [name for name in self._callee.signature.parameters if name not in kwargs]
        if not free:
            raise BadGraph(f"{self._callee.name}: no parameter is left to take the items")
        return free[0]

    def _named(self, into: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        free = [
            name
            for name in self._callee.signature.parameters
            if name != into and name not in kwargs
        ]
        if len(args) > len(free):
            raise BadGraph(f"{self._callee.name}: .map() was given too many arguments")
        return {**dict(zip(free, args, strict=False)), **kwargs}

    def _map_plainly(
        self, items: Any, into: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[R]:
        size = self._options.get("batch", 1)
        listed = list(items)
        batches = [listed[at : at + size] for at in range(0, len(listed), size)]
        shared = self._named(into, args, kwargs)
        tolerance = parse_tolerance(self._options.get("tolerate", 0))
        results: list[Any] = []
        failed = 0
        for batch in batches:
            try:
                arguments = {**shared, into: batch if size > 1 else batch[0]}
                results.append(self._callee.plainly(**arguments))
            except Exception:
                failed += 1
                if not tolerance.bears(failed=failed, total=len(batches)):
                    raise
                results.append(None)
        return results


class UsableAsNode(Generic[P, R]):
    """The base of jobs and graphs, which can be nodes of a graph."""

    def node(self, **options: Any) -> NodeCall[P, R]:
        """Set options of a node: `load.node(retries=3, join="none_failed")(rows)`.

        Options: name, after, when, join, kind, setups, fails_run, group, retries, timeout, queue,
        priority, isolation, cache; for .map(): into, batch, concurrency, tolerate.
        """
        return NodeCall(cast("Callee", self), options)

    def map(self, items: Any, *args: Any, **kwargs: Any) -> list[R]:
        """Map over items without options; see `NodeCall.map`."""
        return self.node().map(items, *args, **kwargs)
