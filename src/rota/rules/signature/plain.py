"""Types that an annotation names whoever reads it: what can be checked without the function."""

from __future__ import annotations

from typing import Any, Union

from rota.rules.graphs.types import Annotation, parsed

_PLAIN: dict[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "None": None,
}  # fmt: skip
_LISTS = frozenset({"list", "List"})
_MAPPINGS = frozenset({"dict", "Dict"})
_PAIR = 2


def plain_kind(annotation: str) -> Any:
    """The type of a text such as `list[int] | None`; Any for what only the code knows."""
    return _of(parsed(annotation))


def _of(kind: Annotation) -> Any:
    if kind.name == "|":
        members = [_of(each) for each in kind.inner]
        return Any if Any in members else Union[tuple(members)]  # noqa: UP007  # found at run time
    if kind.name in _LISTS:
        return list[_of(kind.inner[0])] if len(kind.inner) == 1 else list[Any]  # type: ignore[misc]
    if kind.name in _MAPPINGS:
        has_types = len(kind.inner) == _PAIR and kind.inner[0].name == "str"
        return dict[str, _of(kind.inner[1])] if has_types else dict[str, Any]  # type: ignore[misc]
    return _PLAIN.get(kind.name, Any) if not kind.inner else Any
