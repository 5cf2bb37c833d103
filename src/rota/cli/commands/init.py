"""`rota init`: a project to start from."""

from __future__ import annotations

from pathlib import Path

import click

EPILOG = """\b
Examples:
  rota init                               in this folder
  rota init shop && cd shop && rota up --reload

No file is overwritten: if one of them exists, nothing is written.
"""
SHOP = '''\
"""The jobs of a shop, with a graph that runs each night."""

from rota import App, this_run

app = App()  # the store is that of rota.toml, else ./rota.db


@app.job(retries=3, timeout="30s")
def send_receipt(order: int) -> str:
    """Send a receipt; a failure is tried again three times."""
    return f"receipt of order {order} is sent"


@app.job
def count_orders(day: str) -> int:
    """Count the orders of a day."""
    return len(day)


@app.job
def write_report(day: str, orders: int) -> str:
    """Write what was sold on a day."""
    return f"{day}: {orders} orders"


@app.graph(schedule={"cron": "0 3 * * *", "args": {"day": this_run.scheduled_day}})
def nightly(day: str) -> str:
    """Report each day at 03:00 UTC."""
    return write_report(day, count_orders(day))
'''
TESTS = '''\
"""Tests of shop.py: jobs called as functions, and carried out by a worker on a new store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shop import app, nightly, send_receipt


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[None]:
    app.url = f"sqlite:///{tmp_path}/rota.db"
    running = app.worker()
    running.start()
    yield
    running.stop()
    app.close()


def test_a_job_is_a_function() -> None:
    assert send_receipt(7) == "receipt of order 7 is sent"


@pytest.mark.usefixtures("worker")
def test_a_worker_runs_jobs_and_graphs() -> None:
    assert send_receipt.submit(7).result(timeout="30s") == "receipt of order 7 is sent"
    assert nightly.submit("2026-11-19").result(timeout="30s") == "2026-11-19: 10 orders"
'''
SETTINGS = """\
[rota]
app = "shop:app"
# url = "postgresql://rota@localhost/rota"   # instead of ./rota.db

[worker]
slots = 8
"""
FILES = {
    "shop.py": SHOP,
    "test_shop.py": TESTS,
    "rota.toml": SETTINGS,
}
NEXT = """\
  rota up --reload                        run jobs, serve the web UI
  rota submit send_receipt order=7 --wait
  pytest"""


@click.command("init", epilog=EPILOG)
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Write a project to start from into FOLDER: shop.py, its tests and rota.toml."""
    from rota.errors import BadInput

    present = [name for name in FILES if (folder / name).exists()]
    if present:
        raise BadInput(f"{', '.join(present)}: in {folder} already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            with (folder / name).open("x") as file:
                file.write(text)
    except OSError as error:
        raise BadInput(f"cannot write to {folder}: {error.strerror or error}") from error
    for name in FILES:
        click.echo(folder / name)
    click.echo(f"Next{'' if folder == Path() else f', in {folder}'}:\n{NEXT}")
