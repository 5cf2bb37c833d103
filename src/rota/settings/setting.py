"""A setting: declared once, with all that readers, flags, components and docs need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Literal, NoReturn, TypeVar, overload

T = TypeVar("T")

Component = Literal["worker", "retention", "egress", "programs", "server", "oidc", "client"]
"""The parts of Rota that take settings; each name stands for the options of one part."""


class Flag:
    """The spelling of a setting on the command line: `--slots N`, or `--echo/--no-echo`.

    A worker's flag belongs to all commands that run jobs, a server's flag to all that serve the
    API, and any other to commands that list it by name.
    """

    def __init__(
        self, words: str, says: str, commands: Literal["worker", "server"] | None = None
    ) -> None:
        self.words = words
        self.says = says
        self.commands = commands


class Setting(Generic[T]):
    """One setting. As an attribute of Settings it is its value, with the type that `read` gives.

    The attribute gives the name: a time in milliseconds, `drain_ms`, is the setting `drain`.
    """

    attribute: str
    name: str
    key: str
    """The name in rota.toml, shorter where the section already says half of it."""

    @overload
    def __init__(
        self: Setting[T | None],
        section: str,
        read: Callable[[Any], T],
        meaning: str,
        *,
        default: None = None,
        key: str = "",
        to: tuple[str, ...] = (),
        flag: Flag | None = None,
        beside: Callable[[str, Path], str] | None = None,
        of_server: bool = False,
    ) -> None: ...

    @overload
    def __init__(
        self: Setting[T],
        section: str,
        read: Callable[[Any], T],
        meaning: str,
        *,
        default: T,
        key: str = "",
        to: tuple[str, ...] = (),
        flag: Flag | None = None,
        beside: Callable[[str, Path], str] | None = None,
        of_server: bool = False,
    ) -> None: ...

    def __init__(  # noqa: PLR0913  # the columns of the table; all but three have a default
        self,
        section: str,
        read: Callable[[Any], Any],
        meaning: str,
        *,
        default: Any = None,
        key: str = "",
        to: tuple[str, ...] = (),
        flag: Flag | None = None,
        beside: Callable[[str, Path], str] | None = None,
        of_server: bool = False,
    ) -> None:
        """Declare a setting; `to` names the options that take the value, such as `worker.slots`.

        `beside` resolves a text in rota.toml against the folder of the file; `of_server` means that
        the value belongs to one server and must not reach another.
        """
        self.section = section
        self.read = read
        self.meaning = meaning
        self.default = default
        self.key = key
        self.to = to
        self.flag = flag
        self.beside = beside
        self.of_server = of_server

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute
        self.name = attribute.removesuffix("_ms")
        self.key = self.key or self.name

    @property
    def variable(self) -> str:
        """Return the environment variable that sets it."""
        return f"ROTA_{self.name.upper()}"

    @overload
    def __get__(self, settings: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, settings: object, owner: type) -> T: ...

    def __get__(self, settings: Any, owner: type) -> Any:
        if settings is None:
            return self
        return settings.said.get(self.name, self.default)

    def __set__(self, settings: object, value: object) -> NoReturn:
        raise AttributeError(f"settings are read once; {self.name} cannot be set")
