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


def any_value(value: Any) -> Any:
    """Return the value unchecked; the code that uses it checks it."""
    return value


def text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadOption(f"{value!r:.64} is not a text")
    return value


def yes_or_no(value: object) -> bool:
    """Return a truth value, or that of a word in a variable."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    answer = value if isinstance(value, bool) else words.get(str(value).lower())
    if answer is None:
        raise BadOption(f"{value!r:.64} is not true or false")
    return answer


def count_to(most: int, *, least: int = 1) -> Callable[[object], int]:
    """Return a reader of whole numbers from `least` on."""

    def read(value: object) -> int:
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise BadOption(f"{value!r:.64} is not a number from {least} to {most:,}")
        return number

    return read


def size_from(least: int) -> Callable[[object], int]:
    """Return a reader of numbers of bytes and of sizes such as 1MiB."""

    def read(value: object) -> int:
        from rota.rules.text.size import parse_size

        plain = value if isinstance(value, int) and not isinstance(value, bool) else None
        size = parse_size(str(value)) if plain is None else plain
        if size < least:
            raise BadOption(f"{value!r:.64} is too small; give {least:,} bytes or more")
        return size

    return read


def duration(value: Any) -> int:
    """Return the milliseconds of a duration."""
    from rota.rules.text.duration import parse_duration

    return parse_duration(value)


def anchor_pause(value: object) -> int:
    """Return the milliseconds between two anchors."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadOption(f"{value!r:.64} is not a time such as 1m")
    ms = duration(value)
    if ms < LEAST_ANCHOR_MS:
        raise BadOption(f"{value!r:.64} is not a pause between anchors; give 1s or more")
    return ms


def rate(value: object) -> float:
    """Return requests per second."""
    try:
        number = float(value) if isinstance(value, str | int | float) else 0.0
    except ValueError:
        number = 0.0
    if isinstance(value, bool) or not 0 < number < float("inf"):
        raise BadOption(f"{value!r:.64} is not a number of requests a second above 0")
    return number


def port(value: object) -> int:
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_PORT:
        raise BadOption(f"{value!r:.64} is not a port from 0 to {MAX_PORT}; 0 takes a free one")
    return number


def log_format(value: object) -> str:
    if value not in LOG_FORMATS:
        raise BadOption(f"{value!r:.64} is not one of {', '.join(LOG_FORMATS)}")
    return str(value)


def namespace(value: object) -> str:
    from rota.rules.text.names import check_name

    return check_name("namespace", value)


def release(value: object) -> str:
    from rota.rules.text.names import check_release

    return check_release(value)


def web_address(value: object) -> str:
    address = text(value)
    if not address.startswith(("http://", "https://")):
        raise BadOption(f"{value!r:.64} is not an address that starts with http:// or https://")
    return address


def user(value: object) -> str:
    """Return a user of this machine, by name or number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise BadOption(f"{value!r:.64} is not a user of this machine")
    return str(value).strip()


def command_path(value: object) -> str:
    """Return a PATH of absolute paths."""
    if not isinstance(value, str) or not all(Path(each).is_absolute() for each in value.split(":")):
        raise BadOption(f"{value!r:.64} is not a PATH such as /usr/local/bin:/usr/bin:/bin")
    return value


def queue_names(value: object) -> tuple[str, ...]:
    from rota.rules.text.names import check_name

    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Iterable):
        raise BadOption(f"{value!r:.64} is not a list of names such as 'images,mail'")
    return tuple(
        check_name("queue", name.strip() if isinstance(name, str) else name) for name in names
    )


def _list(what: str, read: Callable[[str], str]) -> Callable[[object], tuple[str, ...]]:
    """Return a reader of lists, which also accepts one text with commas."""

    def read_all(value: object) -> tuple[str, ...]:
        words = value.split(",") if isinstance(value, str) else value
        if not isinstance(words, Iterable) or not all(isinstance(each, str) for each in words):
            raise BadOption(f"{value!r:.64} is not a list of {what}")
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
        raise BadOption(f"{path!r:.64} is not an absolute path; begin it with /")
    return path


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise BadOption(f"{name!r:.64} is not the name of a variable")
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
