"""An App for commands that read a store or submit to it.

It creates no file and upgrades no schema: that is for `rota up`, a worker and `rota db migrate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.errors import StoreUnavailable

if TYPE_CHECKING:
    from rota.app import App
    from rota.settings.table import Settings


def client(settings: Settings, *, with_code: bool = False) -> App:
    """Return an App with the address of the settings, of the app they name, or the default."""
    from rota.app import App
    from rota.cli.connect.server_client import refuse_server

    refuse_server(settings)
    if settings.app is not None and (with_code or not settings.url):
        from rota.cli.loading import load_app

        app = load_app(settings)
        app.upgrade = False
    else:
        app = App(settings.url, namespace=settings.namespace or "default", upgrade=False)
    refuse_missing_file(app.url)
    return app


def refuse_missing_file(url: str) -> None:
    """Refuse a file that does not exist: a command that reads must not create an empty store."""
    from rota.store.open import file_of

    path = file_of(url)
    if path is not None and not path.exists():
        raise StoreUnavailable(
            f"there is no store at {path.absolute()}; start one with `rota up`, or say where "
            "it is with --url, --app, ROTA_URL or rota.toml"
        )
