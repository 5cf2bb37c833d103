"""A venv per peer under build/venvs, made once and kept while its requirements are the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.peers.catalogue import Peer
from bench.peers.processes import PeerFailed

INSTALL_S = 300.0
_VERSIONS = """
import importlib.metadata, sys
print(" ".join(f"{name} {importlib.metadata.version(name)}" for name in sys.argv[1:]))
"""


def bin_folder(peer: Peer, venvs: Path) -> Path:
    """Install the peer if necessary, and return the folder of its commands."""
    if not peer.requires:
        return Path(sys.executable).parent
    venv = venvs / peer.name
    marker = venv / "requires.txt"
    wanted = "\n".join(peer.requires)
    if not marker.exists() or marker.read_text() != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(venv)])
        _run([str(venv / "bin" / "pip"), "install", "--quiet", *peer.requires])
        marker.write_text(wanted)
    return venv / "bin"


def versions(peer: Peer, folder: Path) -> str:
    """Return the measured versions, as `package version ...`."""
    return _run([str(folder / "python"), "-c", _VERSIONS, *peer.versions_of]).strip()


def _run(command: Sequence[str]) -> str:
    try:
        return subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=INSTALL_S
        ).stdout
    except subprocess.TimeoutExpired:
        raise PeerFailed(f"cannot install: no end after {INSTALL_S:.0f} s") from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.strip()] or ["no message"]
        raise PeerFailed(f"cannot install: {lines[-1]}") from None
