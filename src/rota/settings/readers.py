"""Readers of settings: each checks a value from a file, a variable or a flag.

Durations, sizes, names and networks are imported when one is read: `rota --help` loads the table of
settings and reads none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rota.errors import BadOption

LOG_FORMATS = ("text", "json")
MAX_PORT = 65_535
LEAST_ANCHOR_MS = 1_000

# ruff: noqa: PLC0415  # the reason is in the headline


def any_value(given: Any) -> Any:
    """Return the value unchecked; the code that uses it checks it."""
    return given


def text(given: object) -> str:
    if not isinstance(given, str) or not given.strip():
        raise BadOption(f"{given!r:.64} is not a text")
    return given


def yes_or_no(given: object) -> bool:
    """Return a truth value, or that of a word in a variable."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    known = given if isinstance(given, bool) else words.get(str(given).lower())
    if known is None:
        raise BadOption(f"{given!r:.64} is not true or false")
    return known


def count_to(most: int, *, least: int = 1) -> Callable[[object], int]:
    """Return a reader of whole numbers from `least` on."""

    def read(given: object) -> int:
        number = int(given) if isinstance(given, str) and given.isdecimal() else given
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise BadOption(f"{given!r:.64} is not a number from {least} to {most:,}")
        return number

    return read


def size_from(least: int) -> Callable[[object], int]:
    """Return a reader of numbers of bytes and of sizes such as 1MiB."""

    def read(given: object) -> int:
        from rota.rules.text.size import parse_size

        plain = given if isinstance(given, int) and not isinstance(given, bool) else None
        size = parse_size(str(given)) if plain is None else plain
        if size < least:
            raise BadOption(f"{given!r:.64} is too little; say {least:,} bytes or more")
        return size

    return read


def duration(given: Any) -> int:
    """Return the milliseconds of a duration."""
    from rota.rules.text.duration import parse_duration

    return parse_duration(given)


def anchor_pause(given: object) -> int:
    """Return the milliseconds between two anchors."""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise BadOption(f"{given!r:.64} is not a time such as 1m")
    ms = duration(given)
    if ms < LEAST_ANCHOR_MS:
        raise BadOption(f"{given!r:.64} is no pause between anchors; say 1s or more")
    return ms


def rate(given: object) -> float:
    """Return requests per second."""
    try:
        number = float(given) if isinstance(given, str | int | float) else 0.0
    except ValueError:
        number = 0.0
    if isinstance(given, bool) or not 0 < number < float("inf"):
        raise BadOption(f"{given!r:.64} is not a number of requests a second above 0")
    return number


def port(given: object) -> int:
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_PORT:
        raise BadOption(f"{given!r:.64} is not a port from 0 to {MAX_PORT}; 0 takes a free one")
    return number


def log_format(given: object) -> str:
    if given not in LOG_FORMATS:
        raise BadOption(f"{given!r:.64} is not one of {', '.join(LOG_FORMATS)}")
    return str(given)


def namespace(given: object) -> str:
    from rota.rules.text.names import check_name

    return check_name("namespace", given)


def release(given: object) -> str:
    from rota.rules.text.names import check_release

    return check_release(given)


def web_address(given: object) -> str:
    address = text(given)
    if not address.startswith(("http://", "https://")):
        raise BadOption(f"{given!r:.64} is no address that starts with http:// or https://")
    return address


def user(given: object) -> str:
    """Return a user of this machine, by name or number."""
    if isinstance(given, bool) or not isinstance(given, str | int) or not str(given).strip():
        raise BadOption(f"{given!r:.64} is no user of this machine")
    return str(given).strip()


def command_path(given: object) -> str:
    """Return a PATH of absolute paths."""
    if not isinstance(given, str) or not all(Path(each).is_absolute() for each in given.split(":")):
        raise BadOption(f"{given!r:.64} is no PATH such as /usr/local/bin:/usr/bin:/bin")
    return given


def queue_names(given: object) -> tuple[str, ...]:
    from rota.rules.text.names import check_name

    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, Iterable):
        raise BadOption(f"{given!r:.64} is not a list of names such as 'images,mail'")
    return tuple(
        check_name("queue", name.strip() if isinstance(name, str) else name) for name in names
    )


def _list(what: str, read: Callable[[str], str]) -> Callable[[object], tuple[str, ...]]:
    """Return a reader of lists, which also accepts one text with commas."""

    def read_all(given: object) -> tuple[str, ...]:
        words = given.split(",") if isinstance(given, str) else given
        if not isinstance(words, Iterable) or not all(isinstance(each, str) for each in words):
            raise BadOption(f"{given!r:.64} is not a list of {what}")
        return tuple(read(each.strip()) for each in words if each.strip())

    return read_all


def _host(name: str) -> str:
    from rota.rules.security.egress import read_host

    return read_host(name)


def _network(name: str) -> str:
    from rota.rules.security.egress import read_network

    return read_network(name)


def _folder(path: str) -> str:
    if not Path(path).is_absolute():
        raise BadOption(f"{path!r:.64} is no whole path; begin it with /")
    return path


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise BadOption(f"{name!r:.64} is no name of a variable")
    return name


host_names = _list("names such as 'rota.example.org,rota'", str.lower)
networks = _list("networks such as '10.1.0.0/16,192.168.7.2'", _network)
hosts = _list("hosts such as 'api.example.org,*.example.net'", _host)
variables = _list("names of variables such as 'PGHOST,PGUSER'", _variable)
folders = _list("folders such as '/srv/jobs'", _folder)


def file_beside(path: str, folder: Path) -> str:
    """Resolve a relative file against the folder of rota.toml."""
    return str(folder / Path(path).expanduser())


def folder_beside(place: str, folder: Path) -> str:
    """Resolve a folder for artifacts that begins with a dot; buckets and `database` stay."""
    return file_beside(place, folder) if place.startswith(".") else place


def sqlite_beside(url: str, folder: Path) -> str:
    relative = url.removeprefix("sqlite:///")
    is_relative = relative != url and not relative.startswith(("/", "~"))
    return f"sqlite:///{folder / relative}" if is_relative else url


def app_beside(app: str, folder: Path) -> str:
    """Resolve a script such as shop.py; Python finds modules."""
    file = app.partition(":")[0]
    is_relative = file.endswith(".py") and not Path(file).is_absolute()
    return f"{folder}/{app}" if is_relative else app
