"""The functions behind the tasks of a loaded Celery app."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rota.rules.jobs.importers.celery_when import NotKept, seconds_of
from rota.rules.jobs.importers.report import Note
from rota.rules.jobs.signature.defaults import defaults_of
from rota.rules.jobs.signature.hints import text_of
from rota.rules.jobs.signature.plain import misfit, plain_kind

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_MORE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_OTHERS = ("soft_time_limit", "rate_limit", "autoretry_for", "queue", "priority", "expires",
             "throws", "default_retry_delay")  # fmt: skip
_AS_EVER = (None, (), False, 180)
"""The defaults of tasks; 180 is the delay of a retry."""


class CeleryFunction:
    """The function that an entry starts: its place and its parameters."""

    def __init__(self, name: object, functions: Mapping[str, Any], *, has_app: bool) -> None:
        if not isinstance(name, str):
            raise NotKept(f"{name!r:.80} is neither the name of a task nor the path of a function")
        self._known = functions.get(name)
        self._function: Callable[..., Any] | None = getattr(self._known, "run", self._known)
        if self._known is not None and not callable(self._function):
            self._function = None
        self.ref = self._find(name) if self._function else _guess(name)
        self.is_guess = self._function is None
        self._has_app = has_app

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters in job-file form, without `self`, `*args` and `**kwargs`."""
        if self._function is None:
            return {}
        parameters = [each for each in self._shape() if each.kind not in _MORE]
        defaults = defaults_of(inspect.Signature(parameters))
        kinds = {each.name: text_of(each.annotation) for each in parameters}
        return {
            name: _optional(kind, defaults[name]) if name in defaults else kind
            for name, kind in kinds.items()
        }

    def parameters_for(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters, plus those that only `arguments` has if it takes `**more`."""
        parameters = self.parameters
        takes_more = self._function is None or any(
            each.kind is inspect.Parameter.VAR_KEYWORD for each in self._shape()
        )
        return {**dict.fromkeys(arguments, "Any"), **parameters} if takes_more else parameters

    def arguments(self, args: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
        """Return positional arguments under the names of the function's parameters."""
        if args and self._function is None:
            raise NotKept(
                "it has positional arguments, and the function is not at hand to name them; use "
                "kwargs" + ("" if self._has_app else ", or import from the app: MODULE:APP")
            )
        takes = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [each.name for each in self._shape() if each.kind in takes] if args else []
        if len(names) < len(args):
            raise NotKept(f"it has {len(args)} positional arguments, and {self.ref} names fewer")
        return dict(zip(names, args, strict=False))

    def limits(self, notes: list[Note]) -> dict[str, Any]:
        """Return the limits that the task sets for its own runs."""
        limit = seconds_of(getattr(self._known, "time_limit", None))
        limits = {} if limit is None else {"timeout": f"{limit:g}s"}
        if limits:
            notes.append(Note(topic="timeout", old=f"time_limit={limit:g}",
                              chose=f"timeout: {limit:g}s"))  # fmt: skip
        lost = [name for name in _OTHERS if getattr(self._known, name, None) not in _AS_EVER]
        if lost:
            notes.append(Note(topic="not kept", old=f"{', '.join(lost)} of the task"))
        return limits

    def notes(self) -> Iterator[Note]:
        """Yield notes on how certain the choice of the function is."""
        if self.is_guess and self._has_app:
            yield Note(
                topic="code",
                old="no task of this name is registered; is its module in include?",
                default=f"python: {self.ref} is a guess by the name of the task",
            )
        elif self.is_guess:
            yield Note(topic="code", old="the app is not at hand",
                       default="python: is a guess by the name of the task")  # fmt: skip

    def _shape(self) -> list[inspect.Parameter]:
        assert self._function is not None  # noqa: S101  # whoever asks has looked
        try:
            parameters = list(inspect.signature(self._function).parameters.values())
        except (ValueError, TypeError) as error:
            raise NotKept(f"the parameters of {self.ref} cannot be read: {error}") from error
        return parameters[1:] if parameters and parameters[0].name == "self" else parameters

    def _find(self, name: str) -> str:
        """Return where a worker can import it: the module's name for the task or the function."""
        outer: Any = self._function
        function = inspect.unwrap(getattr(outer, "__func__", outer))
        place = getattr(function, "__module__", None)
        module = sys.modules.get(place) if isinstance(place, str) else None
        if module is None or place == "__main__":
            return _guess(name)
        own = str(getattr(function, "__name__", ""))
        names = [own, *(each for each in vars(module) if each != own)]
        for each in names:
            if self._is_it(getattr(module, each, None), name, function):
                return f"{place}:{each}"
        raise NotKept(f"{place} has no name for its function; give the function one there")

    def _is_it(self, value: Any, name: str, function: object) -> bool:
        """Whether an attribute is the function itself, the task, or a proxy of it."""
        if value is function or value is self._known:
            return True
        if isinstance(value, type):
            return False
        return callable(value) and hasattr(value, "delay") and getattr(value, "name", None) == name


def _optional(kind: str, default: Any) -> dict[str, Any]:
    """Return an optional parameter; null for an odd default, which the function fills in."""
    fits = misfit("default", default, plain_kind(kind)) is None
    return {"type": kind, "default": default if fits else None}


def _guess(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise NotKept(
            f"{name!r:.80} is not the path of a function; write python: module:function by hand"
        )
    module, _, function = name.rpartition(".")
    return f"{module}:{function}"
