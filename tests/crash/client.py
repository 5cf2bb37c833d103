"""A client that submits until it is killed, printing each id after its submit returned."""

from __future__ import annotations

import itertools
import sys

from tests.crash.shop import app


def main() -> None:
    echo = app.find_job("echo")
    for number in itertools.count():
        runs = [echo.submit(number)] if number % 3 else echo.submit_many(range(20))
        sys.stdout.write("".join(f"{run.id}\n" for run in runs))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
