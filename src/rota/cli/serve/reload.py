"""`rota up --reload`: a change of the code drains the worker, and the next one has the new code.

The worker itself watches: its supervisor starts another one when it has drained. Code that cannot
be imported is tried in a process of its own first, so the old code goes on meanwhile.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rota.settings.table import Settings

IMPORT = """
import sys
from pathlib import Path
from rota.cli.loading import find_app
from rota.errors import RotaError
try:
    find_app(sys.argv[1], folders=[Path(each) for each in sys.argv[2:]])
except RotaError as error:
    sys.exit(" ".join(str(error).split()))
"""
IMPORT_S = 60.0


def restart_on_change(settings: Settings) -> None:
    """Watch the code in a thread; drain this worker when it has changed and can be imported."""
    # Taken now: later the worker puts streams of its own in place, to keep handlers' output.
    Thread(target=_watch, args=(settings, sys.stderr), name="rota-reload", daemon=True).start()


def wait_for_change(settings: Settings) -> None:
    """Wait for the next change of the code, for a worker whose code broke while it restarted."""
    next(_changes(settings), None)


def _watch(settings: Settings, out: TextIO) -> None:
    for names in _changes(settings):
        error = _import_error(settings)
        if error is None:
            print(
                f"rota: {names} changed; the worker drains and starts again", file=out, flush=True
            )
            # Handled in the main thread: as if somebody had told this process to stop.
            signal.raise_signal(signal.SIGTERM)
            return
        print(f"rota: the old code goes on: {error}", file=out, flush=True)


def _changes(settings: Settings) -> Iterator[str]:
    """Yield names of Python files when some have changed."""
    from watchfiles import PythonFilter, watch

    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells of each change as well
    for changes in watch(*_folders(settings), watch_filter=PythonFilter(), raise_interrupt=False):
        yield ", ".join(sorted({Path(path).name for _, path in changes}))


def _import_error(settings: Settings) -> str | None:
    """Return why the app cannot be imported now; None if it can."""
    folders = map(str, (Path.cwd(), settings.folder))
    command = [sys.executable, "-c", IMPORT, settings.app or "", *folders]
    try:
        tried = subprocess.run(  # noqa: S603  # ours, with the app that is served
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=IMPORT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"importing {settings.app} takes longer than {IMPORT_S:g} s"
    lines = tried.stderr.strip().splitlines()
    return None if tried.returncode == 0 else (lines[-1] if lines else "it cannot be imported")


def _folders(settings: Settings) -> set[Path]:
    """Return the folders whose code is watched: this one, that of rota.toml, that of the file."""
    place = (settings.app or "").partition(":")[0]
    of_file = {Path(place).resolve().parent} if place.endswith(".py") else set()
    return {Path.cwd(), settings.folder.resolve(), *of_file}
