"""An object store that speaks the S3 protocol, on loopback, in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from rota.clock import elapsed_s

BUCKET = "rota-tests"
LIMIT_S = 120


@contextmanager
def object_store() -> Iterator[str]:
    """Start a server with one empty bucket and yield its endpoint."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _make_bucket(server, endpoint)
        yield endpoint
    finally:
        server.kill()
        server.wait()


def _make_bucket(server: subprocess.Popen[bytes], endpoint: str) -> None:
    end_s = elapsed_s() + LIMIT_S
    request = urllib.request.Request(f"{endpoint}/{BUCKET}", method="PUT")
    while True:
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_S):
                return
        except urllib.error.URLError:
            if server.poll() is not None or elapsed_s() > end_s:
                raise
            time.sleep(0.05)  # it imports for seconds, and has more use for the core


def variables(endpoint: str) -> dict[str, str]:
    """Return the environment variables with which a program finds it."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
