"""A part of a document: its value, and errors that point to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rota.errors import BadFile, BadInput
from rota.rules.jobs.files.yaml12 import Path, YamlDocument
from rota.rules.text.checks import hint


class Field:
    """A value and its place; values are checked, and errors name line and field."""

    def __init__(self, document: YamlDocument, value: Any, path: Path = ()) -> None:
        self.document = document
        self.value = value
        self.path = path

    def refusal(self, says: str) -> BadFile:
        return self.document.refusal(self.path, says)

    def fields(self, allowed: Iterable[str] | None = None) -> dict[str, Field]:
        """Return the fields of a mapping by name; an unknown name is refused with a hint."""
        if not isinstance(self.value, dict):
            raise self.refusal(f"{self.value!r:.64} is not a mapping of names to values")
        children = {name: self._child(name, value) for name, value in self.value.items()}
        if allowed is not None:
            names = sorted(allowed)
            for name, field in children.items():
                if name not in names:
                    raise field.refusal(
                        f"there is no {name!r:.64} here.{hint(name, names)} "
                        f"Known are: {', '.join(names)}"
                    )
        return children

    def items(self) -> list[Field]:
        """Return the items of a list; a single value is a list of one."""
        if not isinstance(self.value, list):
            return [self]
        return [self._child(at, value) for at, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.refusal(f"{self.value!r:.64} is not a text; put it in quotes")
        return self.value

    def texts(self) -> list[str]:
        """Return a list of texts; numbers and truth values are written as in the file."""
        if not isinstance(self.value, list):
            raise self.refusal(f"{self.value!r:.64} is not a list")
        return [each.word() for each in self.items()]

    def word(self) -> str:
        """Return a text, or a number as text: `sleep 5` need not be quoted."""
        if isinstance(self.value, bool) or not isinstance(self.value, str | int | float):
            raise self.refusal(f"{self.value!r:.64} is not a text; put it in quotes")
        return str(self.value)

    def integers(self) -> list[int]:
        numbers = [each.value for each in self.items()]
        for each, value in zip(self.items(), numbers, strict=True):
            if isinstance(value, bool) or not isinstance(value, int):
                raise each.refusal(f"{value!r:.64} is not a whole number")
        return numbers

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refusal(f"{self.value!r:.64} is not true or false")
        return self.value

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Add the place in the file to errors that are raised inside."""
        try:
            yield
        except BadFile:
            raise
        except BadInput as error:
            raise self.refusal(str(error)) from error

    def _child(self, key: str | int, value: Any) -> Field:
        return Field(self.document, value, (*self.path, key))
