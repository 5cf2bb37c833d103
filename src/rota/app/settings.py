"""Settings: flags, then ROTA_* variables, then rota.toml; read once into one frozen struct.

None means not set, and then the default of the thing itself counts.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rota.errors import BadInput, BadOption
from rota.rules.duration import parse_duration
from rota.rules.names import check_name

FILE = "rota.toml"
LOG_FORMATS = ("text", "json")
MAX_SLOTS = 1000
MAX_PROCESSES = 256
MAX_THREADS = 256
MAX_PORT = 65_535


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a command was told, wherever it was said."""

    folder: Path
    """Where rota.toml is, or where we are: names in settings are looked up from here."""
    url: str | None = None
    url_is_flag: bool = False
    """Said on the command line, which beats what the app's code says."""
    app: str | None = None
    namespace: str | None = None
    log_format: str = "text"
    queues: tuple[str, ...] = ()
    slots: int | None = None
    processes: int = 1
    stored: bool | None = None
    name: str = ""
    drain_ms: int | None = None
    keep_success_ms: int | None = None
    keep_failures_ms: int | None = None
    alert_webhook: str | None = None
    alert_private: bool = False
    echo: bool | None = None
    artifacts: str | None = None
    serve: bool | None = None
    """Whether `rota up` brings the server, too."""
    host: str | None = None
    port: int | None = None
    server_names: tuple[str, ...] = ()
    behind_proxy: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    request_rate: float | None = None
    threads: int | None = None
    admin_token: str | None = None


class Setting(NamedTuple):
    """Where a setting stands in rota.toml, and how its value is read."""

    section: str
    field: str
    read: Callable[[Any], Any]
    key: str = ""
    """Its name in rota.toml, where the section already says half of it."""


def _text(given: object) -> str:
    if not isinstance(given, str) or not given.strip():
        raise BadOption(f"{given!r:.64} is not a text")
    return given


def _names(given: object) -> tuple[str, ...]:
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, Iterable):
        raise BadOption(f"{given!r:.64} is not a list of names such as 'images,mail'")
    return tuple(
        check_name("queue", name.strip() if isinstance(name, str) else name) for name in names
    )


def _count(most: int) -> Callable[[object], int]:
    def read(given: object) -> int:
        number = int(given) if isinstance(given, str) and given.isdecimal() else given
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
            raise BadOption(f"{given!r:.64} is not a number from 1 to {most}")
        return number

    return read


def _hosts(given: object) -> tuple[str, ...]:
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        raise BadOption(f"{given!r:.64} is not a list of names such as 'rota.example.org,rota'")
    return tuple(name.strip().lower() for name in names if name.strip())


def _port(given: object) -> int:
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_PORT:
        raise BadOption(f"{given!r:.64} is not a port from 0 to {MAX_PORT}; 0 takes a free one")
    return number


def _rate(given: object) -> float:
    try:
        number = float(given) if isinstance(given, str | int | float) else 0.0
    except ValueError:
        number = 0.0
    if isinstance(given, bool) or not 0 < number < float("inf"):
        raise BadOption(f"{given!r:.64} is not a number of requests a second above 0")
    return number


def _web_address(given: object) -> str:
    text = _text(given)
    if not text.startswith(("http://", "https://")):
        raise BadOption(f"{given!r:.64} is no address that starts with http:// or https://")
    return text


def _yes_or_no(given: object) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    known = given if isinstance(given, bool) else words.get(str(given).lower())
    if known is None:
        raise BadOption(f"{given!r:.64} is not true or false")
    return known


def _log_format(given: object) -> str:
    if given not in LOG_FORMATS:
        raise BadOption(f"{given!r:.64} is not one of {', '.join(LOG_FORMATS)}")
    return str(given)


SETTINGS: dict[str, Setting] = {
    "url": Setting("rota", "url", _text),
    "app": Setting("rota", "app", _text),
    "namespace": Setting("rota", "namespace", lambda given: check_name("namespace", given)),
    "log_format": Setting("rota", "log_format", _log_format),
    "artifacts": Setting("rota", "artifacts", _text),
    "queues": Setting("worker", "queues", _names),
    "slots": Setting("worker", "slots", _count(MAX_SLOTS)),
    "processes": Setting("worker", "processes", _count(MAX_PROCESSES)),
    "stored": Setting("worker", "stored", _yes_or_no),
    "name": Setting("worker", "name", _text),
    "drain": Setting("worker", "drain_ms", parse_duration),
    "echo": Setting("worker", "echo", _yes_or_no),
    "keep_success": Setting("worker", "keep_success_ms", parse_duration),
    "keep_failures": Setting("worker", "keep_failures_ms", parse_duration),
    "serve": Setting("server", "serve", _yes_or_no),
    "host": Setting("server", "host", _text),
    "port": Setting("server", "port", _port),
    "server_names": Setting("server", "server_names", _hosts, "names"),
    "behind_proxy": Setting("server", "behind_proxy", _yes_or_no),
    "tls_cert": Setting("server", "tls_cert", _text),
    "tls_key": Setting("server", "tls_key", _text),
    "request_rate": Setting("server", "request_rate", _rate),
    "threads": Setting("server", "threads", _count(MAX_THREADS)),
    "admin_token": Setting("server", "admin_token", _text),
    "alert_webhook": Setting("alerts", "alert_webhook", _web_address, "webhook"),
    "alert_private": Setting("alerts", "alert_private", _yes_or_no, "private"),
}


class _Said(NamedTuple):
    where: str
    value: Any


def read_settings(flags: Mapping[str, Any], *, env: Mapping[str, str], folder: Path) -> Settings:
    """The first that says something counts: a flag, a variable, the file."""
    path = _find(folder)
    said = _from_file(path) if path else {}
    for name in SETTINGS:
        variable = f"ROTA_{name.upper()}"
        if env.get(variable):
            said[name] = _Said(variable, env[variable])
        if flags.get(name) is not None:
            said[name] = _Said(f"--{name.replace('_', '-')}", flags[name])
    fields = {SETTINGS[name].field: _read(name, each) for name, each in said.items()}
    home = path.parent if path else folder
    return Settings(folder=home, url_is_flag=flags.get("url") is not None, **fields)


def _read(name: str, said: _Said) -> Any:
    try:
        return SETTINGS[name].read(said.value)
    except BadInput as error:
        raise type(error)(f"{said.where}: {error}") from error


def _find(folder: Path) -> Path | None:
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
    return None


def _from_file(path: Path) -> dict[str, _Said]:
    import tomllib  # noqa: PLC0415  # most folders have no such file, and every App looks for one

    try:
        sections = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadOption(f"cannot read {path}: {error}") from error
    _refuse_unknown(path, sections, {setting.section for setting in SETTINGS.values()})
    said = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise BadOption(f"{path}: write [{section}] as a section with settings below it")
        known = {
            setting.key or name: name
            for name, setting in SETTINGS.items()
            if setting.section == section
        }
        _refuse_unknown(path, values, known, section=section)
        for key, value in values.items():
            said[known[key]] = _Said(f"{path}: {key}", _anchored(key, value, path.parent))
    return said


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
    if name == "artifacts" and value.startswith("."):
        return str(folder / value)
    file = value.partition(":")[0]
    if name == "app" and file.endswith(".py") and not Path(file).is_absolute():
        return f"{folder}/{value}"
    return value
