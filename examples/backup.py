"""Jobs without Python: a program makes an archive, an HTTP request reports it.

Run it with `python examples/backup.py`. It reports to a small web server that it starts on this
machine, so the request is allowed to call a private address.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from rota import App

app = App()
archive = app.command(
    "archive",
    ["tar", "--create", "--gzip", "--file", "{target}", "--directory", "{folder}", "."],
    timeout="10m",
    retry_codes=[1],  # tar: a file changed while it was read; 2 is a permanent error
)
report = app.http(
    "report",
    "http://127.0.0.1:{port}/backups/{name}",
    method="PUT",
    body='{{"bytes": {size}}}',
    expect=[201],
    allow_private=True,
    retries=8,
    jitter=True,
)


class Desk(BaseHTTPRequestHandler):
    """A web server that takes reports and recognises a repeated one by its key."""

    seen: dict[str, str] = {}  # noqa: RUF012  # shared by all requests

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.seen.setdefault(self.headers["Idempotency-Key"], f"{self.path} {body}")
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    worker = app.worker(slots=2)
    worker.start()
    with TemporaryDirectory() as folder:
        data, target = Path(folder, "data"), Path(folder, "data.tgz")
        data.mkdir()
        Path(data, "orders.txt").write_text("17 cats\n" * 1000)
        ended = archive.submit(folder=str(data), target=str(target)).result(timeout="1m")
        print("tar ended with", ended["exit_code"])
        size = target.stat().st_size
        answer = report.submit(port=server.server_port, name=target.name, size=size)
        print("the desk answered", answer.result(timeout="1m")["status"])
    print("the desk knows", *(text.split()[0] for text in Desk.seen.values()))
    worker.stop()
    app.close()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
