"""Loads the App of a command line: `shop.py`, `shop.py:app`, `shop:app`, `pkg.shop`."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rota.errors import AppNotFound
from rota.scripts import place_of_file

if TYPE_CHECKING:
    from rota.app import App
    from rota.settings.table import Settings


def load_app(settings: Settings) -> App:
    """Import the app of the settings; AppNotFound says what is wrong with it.

    A url on the command line beats the one in the code; a url from the environment or rota.toml is
    used by an `App()` without a url.
    """
    if settings.app is None:
        raise AppNotFound(
            "which app? Name its file or module, as in `rota up shop.py`, "
            "or set ROTA_APP or app in rota.toml; for jobs of applied files alone say --stored"
        )
    if settings.url:
        os.environ["ROTA_URL"] = settings.url
    app = find_app(settings.app, folders=(Path.cwd(), settings.folder))
    if settings.url and settings.url_is_flag:
        from rota.store.open import dialect_of

        dialect_of(settings.url)
        app.url = settings.url
    if settings.namespace:
        app.namespace = settings.namespace
    return app


def find_app(ref: str, *, folders: Sequence[Path]) -> App:
    """Return the App that `ref` names; modules are looked up in these folders first."""
    # Import all our modules before any of theirs: their json.py must not become our json.
    import rota.app  # noqa: F401

    place, _, name = ref.partition(":")
    return _pick(_module(place, folders), place, name)


def find_object(ref: str, *, folders: Sequence[Path]) -> Any:
    """Return an object of a module, named by `module:name` or `file.py:name`."""
    import rota.rules.jobs.importers.celery  # noqa: F401  # as above

    place, _, name = ref.partition(":")
    if not name:
        raise AppNotFound(f"{ref!r} names no object; write module:object")
    value: Any = _module(place, folders)
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise AppNotFound(f"{place} holds no {name!r}") from None
    return value


def find_place(ref: str, *, folders: Sequence[Path]) -> ModuleType:
    """Return the module that `module:name` names."""
    return _module(ref.partition(":")[0], folders)


def _module(place: str, folders: Sequence[Path]) -> ModuleType:
    if place.endswith(".py") or "/" in place:
        return _import_file(Path(place))
    return _import_module(place, folders)


def _import_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise AppNotFound(f"there is no file {path}")
    folder, parts = place_of_file(path)
    name = ".".join(parts)
    module = _import(name, (folder,))
    origin = getattr(module, "__file__", None)
    if origin is None or Path(origin).resolve() != path:
        raise AppNotFound(
            f"{path.name} is hidden by another module named {name!r} ({origin or 'built in'}); "
            "give the file another name"
        )
    return module


def _import_module(name: str, folders: Sequence[Path]) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise AppNotFound(
            f"{name!r} names no module; write shop.py, shop:app or package.module:app"
        )
    try:
        return _import(name, folders)
    except ModuleNotFoundError as error:
        near = next((f for f in folders if (f / f"{name.replace('.', '/')}.py").is_file()), None)
        hint = "" if near else f" and no {name.replace('.', '/')}.py in {folders[0]}"
        raise AppNotFound(f"there is no module named {error.name!r}{hint}") from error


def look_in(folders: Sequence[Path]) -> None:
    """Look modules up in these folders first."""
    for folder in reversed(folders):
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _import(name: str, folders: Sequence[Path]) -> ModuleType:
    look_in(folders)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise
        raise _broken(error, folders) from error
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise _broken(error, folders) from error


def _broken(error: BaseException, folders: Sequence[Path]) -> AppNotFound:
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename:
        return AppNotFound(f"{error.filename}, line {error.lineno}: {reason}")
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename[0] != "<"]
    homes = tuple(f"{folder}/" for folder in folders)
    own = [frame for frame in frames if frame.filename.startswith(homes)] or frames
    where = f"{own[-1].filename}, line {own[-1].lineno}: " if own else ""
    return AppNotFound(f"{where}{reason}")


def _pick(module: ModuleType, place: str, name: str) -> App:
    from rota.app import App

    apps = {key: value for key, value in vars(module).items() if isinstance(value, App)}
    if name in apps:
        return apps[name]
    if name:
        close = difflib.get_close_matches(name, [*apps, *vars(module)], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise AppNotFound(f"{place} holds no App named {name!r}.{hint}")
    different = {id(app): key for key, app in apps.items()}
    if not different:
        raise AppNotFound(f"{place} holds no App; write `app = App()` in it")
    if len(different) > 1:
        choices = " or ".join(f"{place}:{key}" for key in different.values())
        raise AppNotFound(f"{place} holds several Apps; write {choices}")
    return next(iter(apps.values()))
