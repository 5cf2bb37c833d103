"""The table of settings: each is declared once, and everything else comes from its row.

The rows give the reading of variables and of rota.toml, the flags of commands, the options of
workers, servers and clients, and the table in docs/cli.md (`python -m tests.docs.tables`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rota.settings import readers as read
from rota.settings.server_settings import ServerSettings
from rota.settings.setting import Component, Flag, Setting
from rota.settings.worker_settings import WorkerSettings


class Settings(WorkerSettings, ServerSettings):
    """The settings of a process from all sources; unset ones have their defaults.

    A default of None leaves the choice to the component that takes the setting.
    """

    url = Setting(
        "rota",
        read.text,
        "the address of the store",
        flag=Flag("--url URL", "The store: sqlite:///file.db or postgresql://user@host/db."),
        beside=read.sqlite_beside,
    )
    server = Setting(
        "rota",
        read.text,
        "a [server](client.md#on-the-command-line) to use instead of the store",
        flag=Flag(
            "--server URL", "Use this server instead of a database; ROTA_TOKEN holds the token."
        ),
    )
    """None if the address of a store was set in a later layer."""
    token = Setting(
        "rota",
        read.text,
        "the token for the server; prefer the environment to a file",
        of_server=True,
    )
    token_file = Setting(
        "rota",
        read.text,
        "a file with the token for the server",
        beside=read.file_beside,
        of_server=True,
    )
    ca_file = Setting(
        "rota",
        read.text,
        "certificates to trust instead of the default ones",
        to=("client.ca_file",),
        beside=read.file_beside,
        of_server=True,
    )
    in_clear = Setting(
        "rota",
        read.yes_or_no,
        "whether the token may be sent over `http://` to another machine",
        default=False,
        to=("client.in_clear",),
        of_server=True,
    )
    patience_ms = Setting(
        "rota",
        read.duration,
        "how long to retry an unreachable server; default 30s",
        to=("client.patience",),
    )
    answer_within_ms = Setting(
        "rota",
        read.duration,
        "how long to wait for one response of the server; default 30s",
        to=("client.timeout",),
    )
    app = Setting(
        "rota",
        read.text,
        "the app to load",
        flag=Flag("--app APP", "Take the store's address from this app, as in `rota up`."),
        beside=read.app_beside,
    )
    namespace = Setting(
        "rota",
        read.namespace,
        "the namespace of jobs and runs",
        flag=Flag("--namespace NAME", "Namespace of jobs and runs; default `default`."),
    )
    release = Setting("rota", read.release, "the name of this [deploy](operations.md#deploys)")
    artifacts = Setting(
        "rota",
        read.text,
        "the place of [large results](storage.md#large-values): a folder, `s3://bucket/prefix` "
        "or `database`",
        beside=read.folder_beside,
    )

    def __init__(self, *, folder: Path, url_is_flag: bool = False, **values: Any) -> None:
        """Keep values by the names of settings."""
        self.folder = folder
        """The folder of rota.toml, or the current one; relative names are resolved from here."""
        self.url_is_flag = url_is_flag
        """Whether the address came from the command line, which wins over the app's code."""
        self.said = values
        for name in values:
            if name not in SETTINGS:
                raise TypeError(f"there is no setting {name!r}")

    def replace(self, **values: Any) -> Settings:
        """Return a copy with some settings replaced."""
        return Settings(folder=self.folder, url_is_flag=self.url_is_flag, **{**self.said, **values})

    def options_of(self, component: Component) -> dict[str, Any]:
        """Return the values that are set for one component, by the names of its options.

        Milliseconds become seconds for options whose name does not end with `_ms`.
        """
        options: dict[str, Any] = {}
        for name, value in self.said.items():
            setting = SETTINGS[name]
            for place in setting.to:
                owner, _, option = place.partition(".")
                if owner == component:
                    is_ms = setting.attribute.endswith("_ms") and not option.endswith("_ms")
                    options[option] = value / 1000 if is_ms else value
        return options


SETTINGS: dict[str, Setting[Any]] = {
    each.name: each
    for declared in (Settings, WorkerSettings, ServerSettings)
    for each in vars(declared).values()
    if isinstance(each, Setting)
}
"""All settings by name, in the order of the help and of the docs."""
