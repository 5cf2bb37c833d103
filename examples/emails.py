"""Many short waits: async functions, retries, and keys that make repeated submits one run.

Run it with `python examples/emails.py`. It simulates a mail server that sometimes fails.
"""

from __future__ import annotations

import asyncio

from rota import App, DuplicateKey, Retry, RunFailed, current_run

app = App()
sent: dict[str, str] = {}
"""Letters sent by the mail server, by idempotency key: a repeated key sends nothing."""


@app.job(queue="mail", retries=4, retry_delay="50ms", jitter=0.5, give_up_on=ValueError)
async def send(to: str, subject: str) -> str:
    run = current_run()
    await asyncio.sleep(0.01)
    if "@" not in to:
        raise ValueError(f"{to} is no address")
    if run.attempt == 1 and to.startswith("busy"):
        raise Retry("the mailbox is busy", after="100ms")
    sent.setdefault(run.idempotency_key, f"{subject} to {to}")
    if run.attempt == 1:
        # It was sent, but the response was lost: the next attempt must not send it twice.
        raise ConnectionError("the line went dead")
    return f"sent {subject} to {to}"


def main() -> None:
    worker = app.worker(slots=50)
    worker.start()
    people = [("ann@example.org", "News"), ("busy@example.org", "News")]
    for run in send.submit_many(people):
        print(run.result(timeout="30s"), f"after {run.show().attempt} attempts")
    print("letters that left:", len(sent))

    order = send.with_options(key="order-17", key_window="1h")
    first = order.submit("bob@example.org", "Your order 17")
    again = order.submit("bob@example.org", "Your order 17")
    print("the same key is the same run:", first.id == again.id)
    try:
        order.submit("bob@example.org", "Your order 18")
    except DuplicateKey:
        print("the same key with another letter is refused")
    print(first.result(timeout="30s"))

    try:
        print(send.submit("nobody", "News").result(timeout="30s"))
    except RunFailed as failed:
        print("failed:", failed.reason)
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
