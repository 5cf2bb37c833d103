"""A `rota up` of its own process with the jobs of these tests, and what tests ask of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.support.cli import Rota, Served, eventually

JOBS = Path(__file__).with_name("site_jobs.py")
ADMIN = "admin-token-of-the-browser-tests-0123456789"
PATIENCE_S = 30.0


class Site:
    """A worker and a server on one store."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.folder = folder
        self.address = address_of(served)
        self.api = httpx2.Client(
            base_url=f"{self.address}/api/v1",
            headers={"Authorization": f"Bearer {ADMIN}"},
            timeout=PATIENCE_S,
        )
        self._counted = 0

    def path(self) -> Path:
        """A file that does not exist yet, for jobs that wait for one.

        Named without figures: failures that differ only in them have the same cause.
        """
        self._counted += 1
        return self.folder / "".join("ghjklmnpqr"[int(each)] for each in f"{self._counted:03}")

    def submit(self, job: str, **args: Any) -> str:
        """The id of a new run."""
        return str(self.post("/runs", jobId=job, args=args)["executionId"])

    def run(self, run_id: str) -> dict[str, Any]:
        return self.get(f"/runs/{run_id}")

    def wait_for(self, run_id: str, state: str) -> None:
        eventually(lambda: self.run(run_id)["status"] == state, f"{run_id} is {state}")

    def submit_and_wait(self, job: str, state: str, **args: Any) -> str:
        run_id = self.submit(job, **args)
        self.wait_for(run_id, state)
        return run_id

    def token(self, *roles: str) -> str:
        made = self.post("/tokens", name="-".join(roles), roles=list(roles))
        return str(made["token"])

    def get(self, path: str) -> dict[str, Any]:
        return _good(self.api.get(path))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        return _good(self.api.post(path, json=body))

    def put(self, path: str, **body: Any) -> dict[str, Any]:
        return _good(self.api.put(path, json=body))


def _good(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def address_of(served: Served) -> str:
    served.wait_for("server started")
    found = re.search(r"listens on (\S+)", served.text)
    assert found, served.text
    return found[1]


@contextmanager
def site_on(url: str, folder: Path) -> Iterator[Site]:
    settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
    rota = Rota(folder, ROTA_URL=url, ROTA_ALERT_PRIVATE="yes", **settings)
    with rota.serving("up", str(JOBS), "--slots", "16") as served:
        site = Site(served, folder)
        try:
            yield site
        finally:
            site.api.close()
