"""The jobs of `rota demo`. They are ordinary ones: copy what you like.

They are part of the package, so that the demo works wherever Rota is installed.
"""

from __future__ import annotations

import asyncio
import hashlib
import time

from rota import App, current_run, progress

app = App("sqlite:///rota-demo.db")


@app.job(queue="images", timeout="30s")
def thumbnail(image: str, width: int = 200) -> str:
    """A small piece of real work; thousands of them make the burst."""
    digest = hashlib.sha256(f"{image}:{width}".encode() * 500).hexdigest()
    return f"{image}-{digest[:8]}.webp"


@app.job(queue="mail")
async def notify(user: int) -> str:
    """An async function: hundreds of these can wait at once in one worker."""
    await asyncio.sleep(0.3)
    return f"user {user} was told"


@app.job(retries=5, backoff="fixed", retry_delay="700ms")
def charge(order: int) -> str:
    """Fails twice because the payment provider is down, then works."""
    if current_run().attempt <= 2:  # noqa: PLR2004  # twice, as said
        raise ConnectionError("the payment provider does not answer")
    return f"order {order} is paid"


@app.job(retries=2, backoff="fixed", retry_delay="500ms")
def sync_stock(warehouse: str) -> None:
    """Never works: it is tried three times, then kept as failed with its traceback."""
    raise LookupError(f"warehouse {warehouse} is unknown")


@app.job(timeout="1m")
def import_orders(count: int) -> int:
    """Takes a while and says how far it is."""
    for number in range(count):
        progress(number / count, f"order {number} of {count}")
        print(f"order {number}: \x1b[32mimported\x1b[0m")
        time.sleep(0.05)
    return count


@app.job(schedule="*/2 * * * * *", overlap="skip")
def look_around() -> str:
    """Fires every two seconds, by itself."""
    run = current_run()
    return f"all is well at {run.scheduled_for:%H:%M:%S}"


@app.job
def send_report(day: str) -> str:
    """Submitted with a delay."""
    return f"the report of {day} was sent"


disk_report = app.command("disk_report", ["df", "-h", "{folder}"], timeout="10s")
