"""A verified backup: archive, verify, then report success, or warn if a step failed.

Run it with `python examples/verified_backup.py`. backup.yaml is this graph in YAML, without Python.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

from rota import App

app = App()
TOLD: list[str] = []
archive = app.command(
    "archive",
    ["tar", "--create", "--gzip", "--file", "{target}", "--directory", "{folder}", "."],
    timeout="10m",
    retry_codes=[1],  # tar: a file changed while it was read; 2 is a permanent error
)
verify = app.command("verify", ["tar", "--list", "--gzip", "--file", "{target}"], retries=0)


@app.job
def checksum(target: str) -> str:
    return hashlib.sha256(Path(target).read_bytes()).hexdigest()


@app.job
def tell(folder: str, digest: str, listing: str) -> None:
    files = sum(not line.endswith("/") for line in listing.splitlines())
    TOLD.append(f"{Path(folder).name}: {files} files, {len(digest)} digits of checksum")


@app.job
def warn(folder: str) -> None:
    TOLD.append(f"{Path(folder).name}: the backup failed")


@app.graph(schedule="30 3 * * *", is_paused=True)
def backup(folder: str = "data", target: str = "data.tgz") -> None:
    made = archive(folder=folder, target=target)
    listed = verify.node(after=made)(target=target)
    digest = checksum.node(after=made)(target)
    tell(folder, digest, listed["stdout"])
    warn.node(after=[made, listed, digest], join="one_failed")(folder)


def main() -> None:
    worker = app.worker(slots=4)
    worker.start()
    with TemporaryDirectory() as place:
        data = Path(place, "data")
        data.mkdir()
        for name in ("orders.txt", "cats.txt"):
            Path(data, name).write_text("17 cats\n" * 1000)
        good = backup.submit(folder=str(data), target=f"{place}/data.tgz")
        print("the first is", good.wait(timeout="1m").state)
        bad = backup.submit(folder=f"{place}/nowhere", target=f"{place}/no.tgz")
        print("the second is", bad.wait(timeout="1m").state)
    print("\n".join(TOLD))
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
