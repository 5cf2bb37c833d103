"""Parse annotations from text, without the code that wrote them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_CHARS = 512
_TOKEN = re.compile(r"\s*([A-Za-z_][\w.]*|\.\.\.|-?\d+|[\[\],|]|'[^'\\]*'|\"[^\"\\]*\")")
_MAX_DEPTH = 20


class Annotation(NamedTuple):
    """A parsed annotation; the members of a union are its alternatives."""

    name: str
    inner: tuple[Annotation, ...] = ()


ANY = Annotation("Any")


def written(kind: Annotation) -> str:
    if kind.name == "|":
        return " | ".join(map(written, kind.inner))
    return f"{kind.name}[{', '.join(map(written, kind.inner))}]" if kind.inner else kind.name


@lru_cache(maxsize=4_096)
def parsed(text: str) -> Annotation:
    """Parse an annotation into a tree; unreadable text is Any."""
    tokens = _TOKEN.findall(text) if len(text) <= MAX_CHARS else []
    if not tokens or _TOKEN.sub("", text).strip():
        return ANY
    kind, rest = _union(tokens, 0)
    return ANY if rest else kind


def _union(tokens: list[str], depth: int) -> tuple[Annotation, list[str]]:
    first, tokens = _one(tokens, depth)
    members = [first]
    while tokens and tokens[0] == "|":
        following, tokens = _one(tokens[1:], depth)
        members.append(following)
    return (Annotation("|", tuple(members)) if len(members) > 1 else first), tokens


def _one(tokens: list[str], depth: int) -> tuple[Annotation, list[str]]:
    if not tokens or depth > _MAX_DEPTH:
        return ANY, tokens[1:]
    if tokens[0][0] in "'\"-0123456789":
        return Annotation(tokens[0]), tokens[1:]
    if not (tokens[0][0].isalpha() or tokens[0][0] == "_"):
        return ANY, tokens[1:]
    name = tokens[0].rpartition(".")[2]
    tokens = tokens[1:]
    inner: list[Annotation] = []
    while tokens and tokens[0] in ("[" if not inner else ","):
        each, tokens = _union(tokens[1:], depth + 1)
        inner.append(each)
    if inner:
        tokens = tokens[1:]
    return _annotation("None" if name == "NoneType" else name, tuple(inner)), tokens


def _annotation(name: str, inner: tuple[Annotation, ...]) -> Annotation:
    if name == "Optional":
        return Annotation("|", (*inner, Annotation("None")))
    if name == "Union":
        return Annotation("|", inner)
    if name == "Annotated":
        return inner[0] if inner else ANY
    return Annotation(name, inner)
