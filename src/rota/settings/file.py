"""rota.toml: found in a folder or above it, read strictly, with its profiles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rota.errors import BadOption
from rota.rules.text.checks import hint
from rota.settings.setting import Setting
from rota.settings.table import SETTINGS

FILE = "rota.toml"
Section = dict[str, Setting[Any]]
"""The settings of a section by their keys in the file."""


def _sections() -> dict[str, Section]:
    sections: dict[str, Section] = {}
    for setting in SETTINGS.values():
        sections.setdefault(setting.section, {})[setting.key] = setting
    return sections


SECTIONS = _sections()


class SetValue(NamedTuple):
    """A value, and the place that set it."""

    where: str
    value: Any


Layer = dict[str, SetValue]


def find_file(folder: Path) -> Path | None:
    for each in (folder, *folder.parents):
        # Not Path.is_file(), which raises where we may not look: then there is nothing for us.
        if os.path.isfile(each / FILE):  # noqa: PTH113
            return each / FILE
    return None


def read_file(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415  # most folders have no such file, and every App looks for one

    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadOption(f"cannot read {path}: {error}") from error


def file_layer(path: Path, sections: Mapping[str, Any]) -> Layer:
    """Return the settings of all sections except profiles."""
    _refuse_unknown(path, sections, [*SECTIONS, "profiles"])
    layer: Layer = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise BadOption(f"{path}: write [{section}] as a section with settings below it")
        layer |= _section(path, section, values, SECTIONS[section])
    return layer


def profile_layer(path: Path | None, profiles: Any, chosen: SetValue) -> Layer:
    """Return the settings of [profiles.NAME], which accepts the settings of [rota]."""
    by_name = profiles if isinstance(profiles, dict) else {}
    name = str(chosen.value)
    if path is None or not isinstance(by_name.get(name), dict):
        names = ", ".join(by_name) or "none"
        raise BadOption(
            f"{chosen.where}: there is no profile {name!r:.64}; write [profiles.{name:.64}] in "
            f"{FILE} (known are: {names})"
        )
    return _section(path, f"profiles.{name}", by_name[name], SECTIONS["rota"])


def _section(path: Path, title: str, values: Mapping[str, Any], section: Section) -> Layer:
    _refuse_unknown(path, values, section, section=title)
    return {
        section[key].name: SetValue(f"{path}: {key}", _in_folder(section[key], value, path.parent))
        for key, value in values.items()
    }


def _refuse_unknown(
    path: Path, values: Iterable[str], allowed: Iterable[str], *, section: str | None = None
) -> None:
    names = sorted(allowed)
    for name in values:
        if name not in names:
            what = f"[{section}] has no setting {name!r}" if section else f"no section [{name}]"
            raise BadOption(f"{path}: {what}.{hint(name, names)} Known are: {', '.join(names)}")


def _in_folder(setting: Setting[Any], value: Any, folder: Path) -> Any:
    """Resolve a relative path against the folder of rota.toml."""
    if setting.beside is None or not isinstance(value, str):
        return value
    return setting.beside(value, folder)
