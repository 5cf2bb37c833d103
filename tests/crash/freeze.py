"""A process that freezes inside a transaction, as a paused machine does.

`python -m tests.crash.freeze reap` holds the chore of that name.
"""

from __future__ import annotations

import os
import signal
import sys

from rota.engine.workers.chores import take_chore
from rota.store.base import Tx
from tests.crash.shop import app


def freeze(tx: Tx) -> None:
    take_chore(tx, sys.argv[1], interval_ms=0)
    sys.stdout.write('{"notice": "frozen"}\n')
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    app.store.write(freeze)
