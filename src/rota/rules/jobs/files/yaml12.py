"""Read YAML 1.2 safely: `NO`, `on` and `12:30:45` stay text.

The text is streamed as events before anything is built, and nesting, aliases and size are bounded
there. Otherwise the parser takes quadratic time, and a builder endless memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import yaml

from rota.errors import BadFile

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_ALIASES = 100
MAX_NODES = 100_000
"""The limit on values, counting those behind aliases each time."""
MAX_INT = 2**63
_MAX_DIGITS = 30

_CORE = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_BASES = {"0o": 8, "0x": 16}

Path = tuple[str | int, ...]


class YamlDocument(NamedTuple):
    """A value and the place of each of its parts."""

    file: str
    value: Any
    places: dict[Path, tuple[int, int]]

    def refusal(self, path: Path, says: str) -> BadFile:
        """Return the error for the part at this path, or at its nearest known parent."""
        field = f"{path_text(path)}: " if path else ""
        return BadFile(f"{self.place(path)}: {field}{says}")

    def place(self, path: Path) -> str:
        """Return the place of a part as `file:line:column`."""
        while path and path not in self.places:
            path = path[:-1]
        line, column = self.places.get(path, (1, 1))
        return f"{self.file}:{line}:{column}"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # C where built
    """The C parser with the scalars of the 1.2 core schema."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_SIGNS = list("-+0123456789.")
CORE_RESOLVERS = tuple(
    (f"{_CORE}{tag}", re.compile(f"^(?:{pattern})$"), first)
    for tag, pattern, first in (
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", _INT.pattern, _SIGNS),
        ("float", _FLOAT.pattern, _SIGNS),
        ("float", _ENDLESS.pattern, list("-+.")),
    )
)
"""The tags, patterns and first signs of scalars that are not text in YAML 1.2."""
for _tag, _pattern, _first in CORE_RESOLVERS:
    _Loader.add_implicit_resolver(_tag, _pattern, _first)


def read_yaml(data: bytes, file: str) -> list[YamlDocument]:
    """Return all documents of a text; BadFile names line and column of an error."""
    text = decode(data, file)
    try:
        _check_shape(text, file)
        nodes = list(yaml.compose_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        raise _broken(error, file) from error
    except yaml.YAMLError as error:
        raise BadFile(f"{file}: {' '.join(str(error).split())[:200]}") from error
    return [_Builder(file).document(node) for node in nodes if node is not None]


def path_text(path: Path) -> str:
    """Return a path as text, such as `jobs.backup.schedules[2].cron`."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part:.64}" if text else part[:64]
    return text


def decode(data: bytes, file: str) -> str:
    """The text of a job file; BadFile for one that is too long or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise BadFile(f"{file}: {len(data):,} bytes are more than {MAX_BYTES:,}; split the file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{file}:{line}: not UTF-8 text") from error


def _check_shape(text: str, file: str) -> None:
    depth = aliases = nodes = 0
    for event in _events(text):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        reason = ""
        if depth > MAX_DEPTH:
            reason = f"nested more than {MAX_DEPTH} deep"
        elif aliases > MAX_ALIASES or nodes > MAX_NODES:
            reason = f"more than {MAX_ALIASES:,} aliases or {MAX_NODES:,} values; split the file"
        if reason:
            mark = event.start_mark
            raise BadFile(f"{file}:{mark.line + 1}:{mark.column + 1}: {reason}")


def _events(text: str) -> Iterator[Any]:
    return iter(yaml.parse(text, Loader=_Loader))


def _broken(error: yaml.MarkedYAMLError, file: str) -> BadFile:
    mark = error.problem_mark or error.context_mark
    where = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
    reason = ", ".join(part for part in (error.context, error.problem) if part)
    hint = "; indent with spaces" if "\\t" in reason or "'\t'" in reason else ""
    return BadFile(f"{where}: not YAML: {reason[:200]}{hint}")


class _Builder:
    """Builds plain values from the nodes of one document and records their places."""

    def __init__(self, file: str) -> None:
        self._document = YamlDocument(file, None, {})
        self._nodes = 0

    def document(self, node: yaml.Node) -> YamlDocument:
        return self._document._replace(value=self._value(node, ()))

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self._nodes += 1
        self._document.places.setdefault(
            path, (node.start_mark.line + 1, node.start_mark.column + 1)
        )
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise self._refusal(path, "its aliases expand to too many values")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        if isinstance(node, yaml.SequenceNode):
            self._check_tag(node, "seq", path)
            return [self._value(each, (*path, at)) for at, each in enumerate(node.value)]
        self._check_tag(node, "map", path)
        return self._mapping(node, path)

    def _mapping(self, node: yaml.Node, path: Path) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key in mapping:
                raise self._at(key_node, path, f"{key!r:.64} is given twice")
            mapping[key] = self._value(value_node, (*path, key))
            # The place of a field is that of its name: there people look.
            self._document.places[*path, key] = _mark(key_node)
        return mapping

    def _key(self, node: yaml.Node, path: Path) -> str:
        if isinstance(node, yaml.ScalarNode) and node.value == "<<" and not node.style:
            raise self._at(node, path, "`<<` is not YAML 1.2; put what is common under `defaults`")
        key = self._scalar(node, path) if isinstance(node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            raise self._at(node, path, "a name must be a text; write it in quotes")
        return key

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Any:
        text = node.value
        match node.tag.removeprefix(_CORE):
            case "str":
                return text
            case "null":
                return None
            case "bool" if text.lower() in ("true", "false"):
                return text.lower() == "true"
            case "int":
                return self._int(node, path)
            case "float" if _FLOAT.fullmatch(text):
                return float(text)
            case "float":
                raise self._at(node, path, f"{text} is not a JSON number")
        raise self._at(node, path, f"the tag {node.tag!r:.64} is not allowed; write plain values")

    def _int(self, node: yaml.ScalarNode, path: Path) -> int:
        text = node.value
        if not _INT.fullmatch(text):
            raise self._at(node, path, f"{text!r:.64} is not a whole number")
        base = _BASES.get(text[:2])
        digits = text[2:] if base else text
        number = int(digits, base or 10) if len(digits) <= _MAX_DIGITS else MAX_INT
        if not -MAX_INT <= number < MAX_INT:
            raise self._at(node, path, "a number this large must be written in quotes")
        return number

    def _check_tag(self, node: yaml.Node, kind: str, path: Path) -> None:
        if node.tag != f"{_CORE}{kind}":
            raise self._at(node, path, f"the tag {node.tag!r:.64} is not allowed")

    def _at(self, node: yaml.Node, path: Path, says: str) -> BadFile:
        self._document.places[path] = _mark(node)
        return self._refusal(path, says)

    def _refusal(self, path: Path, says: str) -> BadFile:
        return self._document.refusal(path, says)


def _mark(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
