"""Settings that set limits: what requests, programs and HTTP jobs may do here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rota.errors import BadOption
from rota.rules.text.size import parse_size

if TYPE_CHECKING:
    from rota.runtime.options import WorkerOptions

LEAST_BODY = 1_024
LEAST_HEAD = 1_024
MOST = 1_000_000


class Walls(msgspec.Struct, frozen=True, kw_only=True):
    """Of a server the limits of requests; of a worker those of programs and of HTTP jobs."""

    proxies: tuple[str, ...] = ()
    max_body: int | None = None
    max_payload: int | None = None
    max_depth: int | None = None
    max_head: int | None = None
    max_streams: int | None = None
    max_failures: int | None = None
    http_hosts: tuple[str, ...] = ()
    http_inside: tuple[str, ...] | None = None
    command_path: str | None = None
    command_user: str | None = None
    command_folders: tuple[str, ...] = ()
    command_pass_env: tuple[str, ...] = ()
    command_new_privileges: bool = False


def worker_walls(said: Walls) -> dict[str, Any]:
    """As the options of a worker want them."""
    from rota.model.walls import Egress, Programs  # noqa: PLC0415  # only workers want them

    return {
        "egress": Egress(hosts=said.http_hosts, inside=said.http_inside),
        "programs": Programs(
            path=said.command_path,
            user=said.command_user,
            folders=said.command_folders,
            pass_env=said.command_pass_env,
            new_privileges=said.command_new_privileges,
        ),
    }


def within_walls(options: WorkerOptions, said: Walls) -> WorkerOptions:
    """With the walls of the settings, where the program itself says nothing of them."""
    plain = type(options)()
    walls = {
        name: wall
        for name, wall in worker_walls(said).items()
        if getattr(options, name) == getattr(plain, name)
    }
    return msgspec.structs.replace(options, **walls)


def server_walls(said: Walls) -> dict[str, Any]:
    """As the options of a server want them; None where nothing was said."""
    return {
        "proxies": said.proxies,
        "body_bytes": said.max_body,
        "payload_bytes": said.max_payload,
        "json_depth": said.max_depth,
        "header_bytes": said.max_head,
        "streams": said.max_streams,
        "failures": said.max_failures,
    }


def _list(what: str, read: Callable[[str], str]) -> Callable[[object], tuple[str, ...]]:
    def read_all(given: object) -> tuple[str, ...]:
        words = given.split(",") if isinstance(given, str) else given
        if not isinstance(words, Iterable) or not all(isinstance(each, str) for each in words):
            raise BadOption(f"{given!r:.64} is not a list of {what}")
        return tuple(read(each.strip()) for each in words if each.strip())

    return read_all


def _host(text: str) -> str:
    from rota.rules.security.egress import read_host  # noqa: PLC0415  # few say one

    return read_host(text)


def _network(text: str) -> str:
    from rota.rules.security.egress import read_network  # noqa: PLC0415  # few say one

    return read_network(text)


def _folder(text: str) -> str:
    if not Path(text).is_absolute():
        raise BadOption(f"{text!r:.64} is no whole path; begin it with /")
    return text


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise BadOption(f"{text!r:.64} is no name of a variable")
    return text


def _path(given: object) -> str:
    if not isinstance(given, str) or not all(Path(each).is_absolute() for each in given.split(":")):
        raise BadOption(f"{given!r:.64} is no PATH such as /usr/local/bin:/usr/bin:/bin")
    return given


def _user(given: object) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or not str(given).strip():
        raise BadOption(f"{given!r:.64} is no user of this machine")
    return str(given).strip()


def _size(least: int) -> Callable[[object], int]:
    def read(given: object) -> int:
        plain = given if isinstance(given, int) and not isinstance(given, bool) else None
        size = parse_size(str(given)) if plain is None else plain
        if size < least:
            raise BadOption(f"{given!r:.64} is too little; say {least:,} bytes or more")
        return size

    return read


def count_to(most: int, *, least: int = 1) -> Callable[[object], int]:
    """Reads a number from `least` on."""

    def read(given: object) -> int:
        number = int(given) if isinstance(given, str) and given.isdecimal() else given
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise BadOption(f"{given!r:.64} is not a number from {least} to {most:,}")
        return number

    return read


def yes_or_no(given: object) -> bool:
    """As a file says it, or a variable."""
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    known = given if isinstance(given, bool) else words.get(str(given).lower())
    if known is None:
        raise BadOption(f"{given!r:.64} is not true or false")
    return known


NETWORKS = _list("networks such as '10.1.0.0/16,192.168.7.2'", _network)
HOSTS = _list("hosts such as 'api.example.org,*.example.net'", _host)
VARIABLES = _list("names of variables such as 'PGHOST,PGUSER'", _variable)
FOLDERS = _list("folders such as '/srv/jobs'", _folder)
WALLS: dict[str, tuple[str, str, Callable[[Any], Any], str]] = {
    "proxies": ("server", "proxies", NETWORKS, ""),
    "max_body": ("server", "max_body", _size(LEAST_BODY), ""),
    "max_payload": ("server", "max_payload", _size(LEAST_BODY), ""),
    "max_depth": ("server", "max_depth", count_to(MOST), ""),
    "max_head": ("server", "max_head", _size(LEAST_HEAD), ""),
    "max_streams": ("server", "max_streams", count_to(MOST), ""),
    "max_failures": ("server", "max_failures", count_to(MOST), ""),
    "http_hosts": ("http", "http_hosts", HOSTS, "hosts"),
    "http_inside": ("http", "http_inside", NETWORKS, "inside"),
    "command_path": ("commands", "command_path", _path, "path"),
    "command_user": ("commands", "command_user", _user, "user"),
    "command_folders": ("commands", "command_folders", FOLDERS, "folders"),
    "command_pass_env": ("commands", "command_pass_env", VARIABLES, "pass_env"),
    "command_new_privileges": (
        "commands",
        "command_new_privileges",
        yes_or_no,
        "new_privileges",
    ),
}
"""Name to section, field, reader and key, as in rota.app.settings."""
