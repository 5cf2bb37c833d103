"""A process that has imported `rota` and forks a process for each command: 0.05 s instead of 0.4.

A forked command is a process like any other, with the requested folder, environment and streams.
The tests of the documentation, of `rota up` and of everything that runs `python -m rota` check that
`rota` also starts from nothing.

Run as a script, so that no test's module is known to a command. Must not make ids or open stores
before it forks: children would share the state of random generators and locks.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import rota.cli

STREAMS = 3
MAKER = 0
"""Our standard input: it ends when the test process does."""
IMPORTED_LATE = (
    *(
        "rota.handles.jobs.files",
        "rota.client",
        "rota.store.postgres.store",
        "rota.store.sqlite.store",
    ),
    *("rich.live", "rich.progress", "rich.table"),
)
"""Modules that most commands import when they run; a server's libraries are not worth it."""


@dataclass(frozen=True)
class Ask:
    """A command to run, and the streams to run it with."""

    words: list[str]
    folder: str
    env: dict[str, str]
    streams: list[int]


@dataclass
class ForkServer:
    """A server that forks a process for each command; `commands` has those in progress by pidfd."""

    door: socket.socket
    events: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    commands: dict[int, tuple[int, socket.socket]] = field(default_factory=dict)

    def serve(self) -> Ask | None:
        """Serve until the maker is gone; in a forked child, return its command."""
        self.events.register(MAKER, selectors.EVENT_READ)
        self.events.register(self.door, selectors.EVENT_READ)
        while True:
            for key, _ in self.events.select():
                if key.fd == MAKER:
                    self._end()
                    return None
                if key.fileobj is self.door:
                    ask = self._hatch()
                    if ask is not None:
                        return ask
                else:
                    key.data()

    def _hatch(self) -> Ask | None:
        asker, _ = self.door.accept()
        _, given, _, _ = socket.recv_fds(asker, 1, 1 + STREAMS)
        if len(given) != 1 + STREAMS:  # the requester was ended meanwhile
            asker.close()
            return None
        text, *streams = given
        with open(text) as file:  # noqa: PTH123  # a descriptor, not a path
            wanted: dict[str, Any] = json.load(file)
        pid = os.fork()
        if pid == 0:
            asker.close()
            self._close()
            return Ask(**wanted, streams=streams)
        for each in streams:
            os.close(each)
        watch = os.pidfd_open(pid)
        self.commands[watch] = (pid, asker)
        self.events.register(watch, selectors.EVENT_READ, partial(self._answer, watch))
        self.events.register(asker, selectors.EVENT_READ, partial(self._drop, asker))
        return None

    def _answer(self, watch: int) -> None:
        pid, asker = self.commands.pop(watch)
        _, status = os.waitpid(pid, 0)
        self.events.unregister(watch)
        os.close(watch)
        with contextlib.suppress(KeyError):  # dropped already
            self.events.unregister(asker)
        with asker, contextlib.suppress(OSError):  # it may have hung up
            asker.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())

    def _drop(self, asker: socket.socket) -> None:
        """Kill the command of a requester that hung up."""
        for pid, other in self.commands.values():
            if other is asker:
                self.events.unregister(asker)
                os.kill(pid, signal.SIGKILL)

    def _end(self) -> None:
        for pid, _ in self.commands.values():
            os.kill(pid, signal.SIGKILL)

    def _close(self) -> None:
        self.door.close()
        self.events.close()
        for watch, (_, asker) in self.commands.items():
            os.close(watch)
            asker.close()


def carry_out(ask: Ask) -> None:
    """Become `python -m rota ...` in that folder."""
    for target, source in enumerate(ask.streams):
        os.dup2(source, target)
        os.close(source)
    os.chdir(ask.folder)
    os.environ.clear()
    os.environ |= ask.env
    time.tzset()
    sys.path[0] = ask.folder
    sys.argv[1:] = ask.words
    runpy.run_module("rota", run_name="__main__", alter_sys=True)


def prepare() -> None:
    commands = (each.name for each in pkgutil.walk_packages(rota.cli.__path__, "rota.cli."))
    for name in (*IMPORTED_LATE, *commands):
        import_module(name)
    gc.collect()
    gc.freeze()


def main(folder: Path) -> None:
    prepare()
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(folder / "door"))
    door.listen(16)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ask = ForkServer(door).serve()
    if ask is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        carry_out(ask)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
