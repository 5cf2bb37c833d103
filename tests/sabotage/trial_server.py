"""A process that has imported what all trials need, and forks one for each.

Starting pytest anew cost a second of processor time per trial, forking it costs a fifth. Reads
asks as JSON lines, answers each with the exit code of pytest. Must never import the package.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

import aiohttp  # noqa: F401  # this and the others: imported once, for all children
import apsw  # noqa: F401
import click  # noqa: F401
import httptools  # noqa: F401
import httpx2  # noqa: F401
import hypothesis.strategies  # noqa: F401
import litestar.openapi  # noqa: F401
import msgspec  # noqa: F401
import psutil  # noqa: F401
import psycopg  # noqa: F401
import pytest
import uvicorn.protocols.http.httptools_impl  # noqa: F401
import uvloop  # noqa: F401
import yaml  # noqa: F401


def main() -> None:
    gc.freeze()  # pytest collects garbage at its end; it need not look through all of this again
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            sys.exit(carry_out(json.loads(line)))
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def carry_out(ask: dict[str, Any]) -> int:
    """Run pytest as a fresh process would, with all its words in the log."""
    log = os.open(ask["log"], os.O_CREAT | os.O_WRONLY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ |= ask["env"]
    sys.path.insert(0, ask["path"])
    return int(pytest.main(ask["arguments"]))


if __name__ == "__main__":
    main()
