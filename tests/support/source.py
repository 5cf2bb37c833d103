"""Our own source as data: modules, imports, names and strings, for tests of its shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rota"
LONG_MODULE = 300
TYPE_GUARDS = {"TYPE_CHECKING", "typing.TYPE_CHECKING"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file of the package; `name` is dotted and starts with the package's name."""

    path: Path
    name: str

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def area(self) -> str:
        """The folder or file directly under the package, which decides the layer."""
        return self.name.split(".")[1] if "." in self.name else "__init__"

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def functions(self) -> Iterator[Function]:
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def imports(self, *, for_types: bool = True) -> Iterator[tuple[str, int]]:
        """Yield dotted names this module imports, with the line; `from a import b` gives `a.b`."""
        skipped = set() if for_types else self._under_type_checking()
        for node in ast.walk(self.tree):
            if node in skipped:
                continue
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = self._base_of(node)
                yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)

    def _under_type_checking(self) -> set[ast.AST]:
        guards = (
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and _dotted(node.test) in TYPE_GUARDS
        )
        return {inner for guard in guards for part in guard.body for inner in ast.walk(part)}

    def _base_of(self, node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        parents = self.name.split(".")
        # A package's own name counts as its first level; a plain module's does not.
        drop = node.level - (self.path.name == "__init__.py")
        kept = parents[: len(parents) - drop]
        return ".".join([*kept, *([node.module] if node.module else [])])

    def references(self) -> Iterator[tuple[str, int]]:
        """Yield dotted names as used, with import aliases resolved: `t.time` gives `time.time`."""
        known = self._aliases()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name | ast.Attribute):
                dotted = _dotted(node)
                if dotted is not None:
                    first, _, rest = dotted.partition(".")
                    full = known.get(first, first)
                    yield (f"{full}.{rest}" if rest else full), node.lineno

    def _aliases(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                known |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif isinstance(node, ast.ImportFrom):
                base = self._base_of(node)
                known |= {a.asname or a.name: f"{base}.{a.name}" for a in node.names}
        return known

    def strings(self) -> Iterator[tuple[str, int]]:
        """Yield string literals, and the fixed parts of f-strings, that are not docstrings."""
        prose = {
            id(node.value)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(self.tree):
            match node:
                case ast.Constant(value=str(text)) if id(node) not in prose:
                    yield text, node.lineno

    def defined_names(self) -> Iterator[tuple[str, int]]:
        """Yield names that this module defines; names that it only uses belong to others."""
        yield self.path.stem, 1
        for node in ast.walk(self.tree):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    yield node.name, node.lineno
                case ast.arg():
                    yield node.arg, node.lineno
                case ast.Name(ctx=ast.Store()):
                    yield node.id, node.lineno
                case ast.Attribute(ctx=ast.Store()):
                    yield node.attr, node.lineno
                case ast.alias(asname=str(name)):
                    yield name, node.lineno


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules of the package, in order of their paths."""
    return tuple(module_at(path) for path in sorted(PACKAGE.rglob("*.py")))


def module_at(path: Path, *, package: Path = PACKAGE) -> Module:
    parts = [package.name, *path.relative_to(package).with_suffix("").parts]
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path=path, name=name)


def long_modules() -> list[tuple[Path, int]]:
    """Return modules above the length at which a split is due, longest first."""
    found = [(m.path.relative_to(ROOT), m.lines) for m in modules() if m.lines > LONG_MODULE]
    return sorted(found, key=lambda pair: -pair[1])
