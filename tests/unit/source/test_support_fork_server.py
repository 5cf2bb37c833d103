"""The fork server of the tests: it starts a process with its own folder, streams and luck."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.support.calls import eventually
from tests.support.programs import is_alive, pids_in
from tests.support.rota_process import run_rota, shim
from tests.support.source import ROOT

ENV = {"PATH": os.environ["PATH"], "NO_COLOR": "1"}
SHOP = """
import os, sys, time, uuid
from pathlib import Path
from rota import App
from rota.ids import new_id

Path(f"luck-{os.getpid()}").write_text(f"{new_id()} {uuid.uuid4()}")
Path("path").write_text(sys.path[0])
Path("zone").write_text(time.tzname[0])
app = App()

@app.job
def add(a: int) -> int:
    return a
"""


def submit(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    (folder / "shop.py").write_text(SHOP)
    words = ("submit", "add", "1", "--app", "shop.py")
    return run_rota(words, folder=folder, env=ENV | env)


def test_a_command_has_its_own_folder_environment_and_streams(tmp_path: Path) -> None:
    done = submit(tmp_path, ROTA_URL="sqlite:///other.db", TZ="HERE-5")
    refused = run_rota(("runs", "show", "no-such-run"), folder=tmp_path, env=ENV)
    listed = run_rota(
        ("import", "crontab", "-"), folder=tmp_path, env=ENV, stdin="0 3 * * * true\n"
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "other.db").exists()
    assert (tmp_path / "path").read_text() == str(tmp_path)
    assert (tmp_path / "zone").read_text() == "HERE"
    assert refused.returncode == 4
    assert refused.stderr.startswith("rota: ")
    assert "true" in listed.stdout, listed


def test_commands_do_not_share_their_luck(tmp_path: Path) -> None:
    submit(tmp_path)
    submit(tmp_path)

    numbers = " ".join(path.read_text() for path in tmp_path.glob("luck-*")).split()
    assert len(set(numbers)) == 4
    assert len({number[-12:] for number in numbers}) == 4


def test_a_command_whose_asker_is_killed_is_killed_too(tmp_path: Path) -> None:
    slow = "import os, time; print(os.getpid(), file=open('pid', 'w'), flush=True); time.sleep(600)"
    (tmp_path / "slow.py").write_text(slow)
    command = f"exec {shim()} submit add --app slow.py"
    asker = subprocess.Popen(["sh", "-c", command], cwd=tmp_path, env=ENV)
    (pid,) = pids_in(tmp_path / "pid")

    asker.kill()
    asker.wait()

    eventually(lambda: not is_alive(pid))
    assert submit(tmp_path).returncode == 0


def test_the_fork_server_ends_with_its_maker() -> None:
    code = textwrap.dedent("""
        import os, signal
        from tests.support.rota_process import door
        print(door(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    eventually(lambda: not Path(ended.stdout.strip()).parent.exists())
