"""Where the servers of a store on this machine listen, noted in a folder of the user.

`rota open` finds a server by it, whichever port was free. The folder is the user's own, so nobody
else can lead the user's browser elsewhere.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path


def note_address(url: str, address: str) -> None:
    """Note the address of this process; where that is impossible, `rota open` needs --address."""
    path = _folder() / f"{_key(url)}.{os.getpid()}"
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(address)
        for note in path.parent.iterdir():  # a server that was killed has left its own
            if not _is_ours_and_alive(note):
                note.unlink(missing_ok=True)


def forget_address(url: str) -> None:
    """Remove the note of this process."""
    with suppress(OSError):
        (_folder() / f"{_key(url)}.{os.getpid()}").unlink()


def noted_address(url: str) -> str | None:
    """Return the address of the server of the store that started last and is alive; else None."""
    with suppress(OSError):
        notes = [path for path in _folder().glob(f"{_key(url)}.*") if _is_ours_and_alive(path)]
        newest = max(notes, key=lambda path: path.stat().st_mtime, default=None)
        return None if newest is None else newest.read_text()
    return None


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "rota" / "servers"


def _key(url: str) -> str:
    """Return a name for the store: of a file, of its path, whatever the folder of the command."""
    from rota.store.open import file_of

    path = file_of(url)
    place = url if path is None else str(path.resolve())
    return hashlib.sha256(place.encode()).hexdigest()[:24]


def _is_ours_and_alive(path: Path) -> bool:
    if path.stat().st_uid != os.getuid():
        return False
    try:
        os.kill(int(path.suffix[1:]), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return False  # the number belongs to another user's process now
    return True
