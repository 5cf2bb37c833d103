"""Starts a program: with a small environment, as the user and in the folder that settings allow."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from rota.errors import BadInput
from rota.model.workers.sandbox import Programs
from rota.runtime.executors.orphan_killer import orphan_killer

ANYHOW = Programs()
SAFE_ENV = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "USER", "LOGNAME")
"""The variables that a program inherits from its worker; secrets live in the others."""
HOME = "~"
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
# Looked up before any fork: between fork and exec nothing may be imported, logged or locked.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class NotStarted(BadInput):
    """The settings of this worker forbid its jobs to start this program."""


def start_program(
    argv: list[str], cwd: str | None, own: Mapping[str, str], programs: Programs
) -> subprocess.Popen[bytes]:
    """Start it; OSError or ValueError if the system cannot, NotStarted if settings forbid it."""
    folder = _folder(at_home(cwd, programs), programs.folders)
    env, rights = {**_inherited(programs), **own}, _rights(programs.user)
    if programs.path is not None:
        env["PATH"] = programs.path
    return subprocess.Popen(  # noqa: S603  # running programs is the feature; never a shell
        argv,
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        preexec_fn=functools.partial(  # noqa: PLW1509  # four system calls
            _bind, os.getpid(), orphan_killer.line(), programs.new_privileges
        )
        if _prctl
        else None,
        **rights,
    )


def _bind(worker_pid: int, guardian_line: int | None, new_privileges: bool) -> None:  # noqa: FBT001  # between fork and exec
    """Have the kernel kill the program when its worker is killed: its run is tried again then.

    Processes that the program starts are left to the orphan killer, which is notified before the
    program begins.
    """
    if guardian_line is not None:
        with contextlib.suppress(OSError):
            os.write(guardian_line, b"+%d\n" % os.getpid())
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if not new_privileges:
            _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != worker_pid:
        os._exit(1)


def _inherited(programs: Programs) -> dict[str, str]:
    names = (*SAFE_ENV, *programs.pass_env)
    env = {name: os.environ[name] for name in names if name in os.environ}
    env.setdefault("PATH", os.defpath)
    if programs.user is not None:
        user = _account(programs.user)
        env |= {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
    return env


def _rights(user: str | None) -> dict[str, Any]:
    if user is None:
        return {}
    entry = _account(user)
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups}


def _account(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(int(user)) if user.isdecimal() else pwd.getpwnam(user)
    except (KeyError, OverflowError):
        raise NotStarted(
            f"this machine has no user {user!r:.64}: see `user` in [commands] of the worker's "
            "rota.toml"
        ) from None


def at_home(cwd: str | None, programs: Programs) -> str | None:
    """Return the working folder; `~` is the home folder of the user that the program runs as."""
    if cwd is None or not (cwd == HOME or cwd.startswith(f"{HOME}/")):
        return cwd
    home = _inherited(programs).get("HOME") or _account(str(os.getuid())).pw_dir
    return home + cwd[1:]


def _folder(cwd: str | None, allowed: tuple[str, ...]) -> str | None:
    """Return the resolved folder, which must be allowed; by default the first allowed one."""
    if not allowed:
        return cwd
    folder = os.path.realpath(cwd or allowed[0])
    for each in allowed:
        root = os.path.realpath(each)
        if os.path.commonpath((root, folder)) == root:
            return folder
    raise NotStarted(
        f"the working folder {cwd} is not below one that this worker allows: see `folders` in "
        "[commands] of its rota.toml"
    )
