"""rota.toml: found in a folder or above it, read strictly, with the profiles in it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rota.errors import BadOption

FILE = "rota.toml"
Places = Mapping[str, Mapping[str, str]]
"""Section to the keys it may have, and which setting each is."""


class Said(NamedTuple):
    """A value, and where it was said."""

    where: str
    value: Any


Layer = dict[str, Said]


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


def file_layer(path: Path, sections: Mapping[str, Any], places: Places) -> Layer:
    """What the sections say, but for profiles."""
    _refuse_unknown(path, sections, [*places, "profiles"])
    said: Layer = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise BadOption(f"{path}: write [{section}] as a section with settings below it")
        said |= _section(path, section, values, places[section])
    return said


def profile_layer(path: Path | None, profiles: Any, chosen: Said, places: Places) -> Layer:
    """Settings of the section [profiles.NAME], which may say what [rota] may."""
    known = profiles if isinstance(profiles, dict) else {}
    name = str(chosen.value)
    if path is None or not isinstance(known.get(name), dict):
        names = ", ".join(known) or "none"
        raise BadOption(
            f"{chosen.where}: there is no profile {name!r:.64}; write [profiles.{name:.64}] in "
            f"{FILE} (known are: {names})"
        )
    return _section(path, f"profiles.{name}", known[name], places["rota"])


def _section(path: Path, title: str, values: Mapping[str, Any], known: Mapping[str, str]) -> Layer:
    _refuse_unknown(path, values, known, section=title)
    return {
        known[key]: Said(f"{path}: {key}", _anchored(key, value, path.parent))
        for key, value in values.items()
    }


def _refuse_unknown(
    path: Path, given: Iterable[str], known: Iterable[str], *, section: str | None = None
) -> None:
    names = sorted(known)
    for name in given:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            what = f"[{section}] has no setting {name!r}" if section else f"no section [{name}]"
            raise BadOption(f"{path}: {what}.{hint} Known are: {', '.join(names)}")


def _anchored(name: str, value: Any, folder: Path) -> Any:
    """Relative files in rota.toml mean the same from every folder below it."""
    if not isinstance(value, str):
        return value
    relative = value.removeprefix("sqlite:///")
    if name == "url" and relative != value and not relative.startswith(("/", "~")):
        return f"sqlite:///{folder / relative}"
    if name in ("token_file", "ca_file", "anchor_key_file") or (
        name == "artifacts" and value.startswith(".")
    ):
        return str(folder / Path(value).expanduser())
    file = value.partition(":")[0]
    if name == "app" and file.endswith(".py") and not Path(file).is_absolute():
        return f"{folder}/{value}"
    return value
