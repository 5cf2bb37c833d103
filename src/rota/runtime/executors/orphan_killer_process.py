"""The process of the orphan killer, run as a script: it imports nothing of Rota, to start at once.

It reads lines, `+GROUP` and `-GROUP`, from its standard input. When its worker is gone, for
whatever reason, it kills the groups that are left, and ends.
"""

import contextlib
import os
import select
import signal
import sys

CHUNK = 65_536


def main(worker: int) -> None:
    """Watch until the worker is gone, then kill the groups that are left."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    os.set_blocking(0, False)
    groups: dict[int, str] = {}
    poll = select.poll()
    poll.register(0, select.POLLIN)
    death = _pidfd(worker)
    if death is not None:
        poll.register(death, select.POLLIN)
    text, is_over = b"", os.getppid() != worker
    while not is_over:
        ready = {fd for fd, _ in poll.poll()}
        is_over = death in ready
        text, has_ended = _listen(text, groups)
        is_over = is_over or has_ended
    _listen(text, groups)
    for group, born in groups.items():
        if _born(group) in ("", born):
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)


def _listen(text: bytes, groups: dict[int, str]) -> tuple[bytes, bool]:
    """Read complete lines; return the rest of the last one, and whether the pipe is closed."""
    while True:
        try:
            chunk = os.read(0, CHUNK)
        except BlockingIOError:
            return text, False
        if not chunk:
            return text, True
        *lines, text = (text + chunk).split(b"\n")
        for line in lines:
            group = int(line[1:])
            if line[:1] == b"+":
                groups.setdefault(group, _born(group))
            else:
                groups.pop(group, None)


def _born(pid: int) -> str:
    """Return when a process was started: a number that was reused since is not ours to kill."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:  # noqa: PTH123  # pathlib takes as long to import as all the rest
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


if __name__ == "__main__":
    main(int(sys.argv[1]))
