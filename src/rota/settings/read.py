"""Settings of a process: flags, then ROTA_* variables, then rota.toml; read once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rota.errors import BadInput, BadOption
from rota.settings.file import Layer, SetValue, file_layer, find_file, profile_layer, read_file
from rota.settings.table import SETTINGS, Settings


def read_settings(flags: Mapping[str, Any], *, env: Mapping[str, str], folder: Path) -> Settings:
    """Read all settings; a flag wins over a variable, and a variable over the file.

    A profile counts as part of the layer that chose it.
    """
    path = find_file(folder)
    sections = read_file(path) if path else {}
    profiles = sections.pop("profiles", {})
    layers: list[Layer] = [file_layer(path, sections) if path else {}]
    for chosen, layer in (
        (SetValue("ROTA_PROFILE", env.get("ROTA_PROFILE")), _from_env(env)),
        (SetValue("--profile", flags.get("profile")), _from_flags(flags)),
    ):
        if chosen.value:
            layers.append(profile_layer(path, profiles, chosen))
        layers.append(layer)
    layer = _merge(layers)
    if not _is_served(layers):
        layer.pop("server", None)
    values = {name: _read(name, each) for name, each in layer.items()}
    home = path.parent if path else folder
    return Settings(folder=home, url_is_flag=flags.get("url") is not None, **values)


def _from_env(env: Mapping[str, str]) -> Layer:
    return {
        name: SetValue(setting.variable, env[setting.variable])
        for name, setting in SETTINGS.items()
        if env.get(setting.variable)
    }


def _from_flags(flags: Mapping[str, Any]) -> Layer:
    values = {name: flags[name] for name in SETTINGS if flags.get(name) is not None}
    return {name: SetValue(f"--{name.replace('_', '-')}", value) for name, value in values.items()}


def _is_served(layers: list[Layer]) -> bool:
    """Whether the highest layer with an address names a server; `--app` and `--url` do not."""
    *_, flags = layers
    if "server" in flags and "url" in flags:
        raise BadOption("give --server or --url, not both")
    if "server" not in flags and "app" in flags:
        return False
    return next(
        ("server" in each for each in reversed(layers) if {"server", "url"} & {*each}), False
    )


def _merge(layers: list[Layer]) -> Layer:
    """Merge the layers; later ones win, also between `token` and `token_file`.

    A credential is only sent to its own server: if a layer names a server, its token is for that
    server, and is dropped when a later layer names another one.
    """
    servers = [layer["server"].value for layer in layers if "server" in layer]
    merged: Layer = {}
    for layer in layers:
        is_other = "server" in layer and layer["server"].value != servers[-1]
        own = {name: layer[name] for name in layer if not (is_other and SETTINGS[name].of_server)}
        if {"token", "token_file"} & {*own}:
            merged = {name: each for name, each in merged.items() if not name.startswith("token")}
        merged |= own
    return merged


def _read(name: str, set_value: SetValue) -> Any:
    try:
        return SETTINGS[name].read(set_value.value)
    except BadInput as error:
        raise type(error)(f"{set_value.where}: {error}") from error
