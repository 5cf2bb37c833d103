"""Settings: flags, then ROTA_* variables, then rota.toml; read once into one frozen struct.

None means not set, and then the default of the thing itself counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rota.app.settings_file import Layer, Said, file_layer, find_file, profile_layer, read_file
from rota.app.settings_walls import WALLS, Walls, count_to, yes_or_no
from rota.errors import BadInput, BadOption
from rota.rules.text.duration import parse_duration
from rota.rules.text.names import check_name, check_release

LOG_FORMATS = ("text", "json")
MAX_SLOTS = 1000
MAX_PREFETCH = 1000
MAX_PROCESSES = 256
MAX_THREADS = 256
MAX_PORT = 65_535
LEAST_ANCHOR_MS = 1_000
OF_SERVER = ("token", "token_file", "ca_file", "in_clear")
"""Settings that belong to one server."""


class Settings(Walls, frozen=True, kw_only=True):
    """What a command was told, wherever it was said."""

    folder: Path
    """Where rota.toml is, or where we are: names in settings are looked up from here."""
    url: str | None = None
    url_is_flag: bool = False
    """Said on the command line, which beats what the app's code says."""
    server: str | None = None
    """A server to talk to instead of the store; None where an address of a store was said later."""
    token: str | None = None
    token_file: str | None = None
    ca_file: str | None = None
    in_clear: bool = False
    patience_ms: int | None = None
    answer_within_ms: int | None = None
    app: str | None = None
    namespace: str | None = None
    release: str | None = None
    """What this deploy calls itself: the same code under another name is newer code."""
    log_format: str = "text"
    queues: tuple[str, ...] = ()
    slots: int | None = None
    prefetch: int | None = None
    processes: int = 1
    stored: bool | None = None
    wait_for_store: bool | None = None
    """Whether to wait at the start for a database that is away."""
    name: str = ""
    drain_ms: int | None = None
    keep_success_ms: int | None = None
    keep_failures_ms: int | None = None
    alert_webhook: str | None = None
    alert_private: bool = False
    anchor: str | None = None
    """Where the ends of the audit are noted."""
    anchor_every_ms: int | None = None
    anchor_key: str | None = None
    anchor_key_file: str | None = None
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
    oidc_issuer: str | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = None
    oidc_claim: str | None = None
    oidc_roles: Any = None
    oidc_namespace: str | None = None


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


def _anchor_pause(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise BadOption(f"{given!r:.64} is not a time such as 1m")
    ms = parse_duration(given)
    if ms < LEAST_ANCHOR_MS:
        raise BadOption(f"{given!r:.64} is no pause between anchors; say 1s or more")
    return ms


def _log_format(given: object) -> str:
    if given not in LOG_FORMATS:
        raise BadOption(f"{given!r:.64} is not one of {', '.join(LOG_FORMATS)}")
    return str(given)


SETTINGS: dict[str, Setting] = {
    "url": Setting("rota", "url", _text),
    "server": Setting("rota", "server", _text),
    "token": Setting("rota", "token", _text),
    "token_file": Setting("rota", "token_file", _text),
    "ca_file": Setting("rota", "ca_file", _text),
    "in_clear": Setting("rota", "in_clear", yes_or_no),
    "patience": Setting("rota", "patience_ms", parse_duration),
    "answer_within": Setting("rota", "answer_within_ms", parse_duration),
    "app": Setting("rota", "app", _text),
    "namespace": Setting("rota", "namespace", lambda given: check_name("namespace", given)),
    "release": Setting("rota", "release", check_release),
    "log_format": Setting("rota", "log_format", _log_format),
    "artifacts": Setting("rota", "artifacts", _text),
    "queues": Setting("worker", "queues", _names),
    "slots": Setting("worker", "slots", count_to(MAX_SLOTS)),
    "prefetch": Setting("worker", "prefetch", count_to(MAX_PREFETCH, least=0)),
    "processes": Setting("worker", "processes", count_to(MAX_PROCESSES)),
    "stored": Setting("worker", "stored", yes_or_no),
    "wait_for_store": Setting("rota", "wait_for_store", yes_or_no),
    "name": Setting("worker", "name", _text),
    "drain": Setting("worker", "drain_ms", parse_duration),
    "echo": Setting("worker", "echo", yes_or_no),
    "keep_success": Setting("worker", "keep_success_ms", parse_duration),
    "keep_failures": Setting("worker", "keep_failures_ms", parse_duration),
    "serve": Setting("server", "serve", yes_or_no),
    "host": Setting("server", "host", _text),
    "port": Setting("server", "port", _port),
    "server_names": Setting("server", "server_names", _hosts, "names"),
    "behind_proxy": Setting("server", "behind_proxy", yes_or_no),
    "tls_cert": Setting("server", "tls_cert", _text),
    "tls_key": Setting("server", "tls_key", _text),
    "request_rate": Setting("server", "request_rate", _rate),
    "threads": Setting("server", "threads", count_to(MAX_THREADS)),
    "admin_token": Setting("server", "admin_token", _text),
    "oidc_issuer": Setting("oidc", "oidc_issuer", _text, "issuer"),
    "oidc_client_id": Setting("oidc", "oidc_client_id", _text, "client_id"),
    "oidc_client_secret": Setting("oidc", "oidc_client_secret", _text, "client_secret"),
    "oidc_claim": Setting("oidc", "oidc_claim", _text, "claim"),
    "oidc_roles": Setting("oidc", "oidc_roles", lambda given: given, "roles"),
    "oidc_namespace": Setting("oidc", "oidc_namespace", _text, "namespace"),
    "alert_webhook": Setting("alerts", "alert_webhook", _web_address, "webhook"),
    "alert_private": Setting("alerts", "alert_private", yes_or_no, "private"),
    "anchor": Setting("audit", "anchor", _text),
    "anchor_every": Setting("audit", "anchor_every_ms", _anchor_pause),
    "anchor_key": Setting("audit", "anchor_key", _text),
    "anchor_key_file": Setting("audit", "anchor_key_file", _text),
    **{name: Setting(*each) for name, each in WALLS.items()},
}


def read_settings(flags: Mapping[str, Any], *, env: Mapping[str, str], folder: Path) -> Settings:
    """The first that says something counts: a flag, a variable, the file.

    What a profile says counts as if it were said where the profile was chosen.
    """
    path = find_file(folder)
    sections = read_file(path) if path else {}
    profiles = sections.pop("profiles", {})
    places = _places()
    layers: list[Layer] = [file_layer(path, sections, places) if path else {}]
    for chosen, said in (
        (Said("ROTA_PROFILE", env.get("ROTA_PROFILE")), _from_env(env)),
        (Said("--profile", flags.get("profile")), _from_flags(flags)),
    ):
        if chosen.value:
            layers.append(profile_layer(path, profiles, chosen, places))
        layers.append(said)
    said = _merged(layers)
    if not _is_served(layers):
        said.pop("server", None)
    fields = {SETTINGS[name].field: _read(name, each) for name, each in said.items()}
    home = path.parent if path else folder
    return Settings(folder=home, url_is_flag=flags.get("url") is not None, **fields)


def _places() -> dict[str, dict[str, str]]:
    places: dict[str, dict[str, str]] = {}
    for name, setting in SETTINGS.items():
        places.setdefault(setting.section, {})[setting.key or name] = name
    return places


def _from_env(env: Mapping[str, str]) -> Layer:
    named = {name: f"ROTA_{name.upper()}" for name in SETTINGS}
    return {name: Said(each, env[each]) for name, each in named.items() if env.get(each)}


def _from_flags(flags: Mapping[str, Any]) -> Layer:
    given = {name: flags[name] for name in SETTINGS if flags.get(name) is not None}
    return {name: Said(f"--{name.replace('_', '-')}", value) for name, value in given.items()}


def _is_served(layers: list[Layer]) -> bool:
    """Whether the last word is a server's; `--app` and `--url` mean the database."""
    *_, flags = layers
    if "server" in flags and "url" in flags:
        raise BadOption("give --server or --url, not both")
    if "server" not in flags and "app" in flags:
        return False
    return next(
        ("server" in each for each in reversed(layers) if {"server", "url"} & {*each}), False
    )


def _merged(layers: list[Layer]) -> Layer:
    """The later ones count; of `token` and `token_file`, too.

    A credential is not sent to where it was not meant for: where a layer names a server, its token
    is for that one, and counts for no other that is named later.
    """
    servers = [layer["server"].value for layer in layers if "server" in layer]
    said: Layer = {}
    for layer in layers:
        is_other = "server" in layer and layer["server"].value != servers[-1]
        own = {name: layer[name] for name in layer if not (is_other and name in OF_SERVER)}
        if {"token", "token_file"} & {*own}:
            said = {name: each for name, each in said.items() if not name.startswith("token")}
        said |= own
    return said


def _read(name: str, said: Said) -> Any:
    try:
        return SETTINGS[name].read(said.value)
    except BadInput as error:
        raise type(error)(f"{said.where}: {error}") from error
