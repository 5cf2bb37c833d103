"""The smallest program: a job, a worker inside the program, a result.

Run it with `python examples/hello.py`. Its runs are in ./rota.db: list them with `rota runs`.
"""

from __future__ import annotations

from rota import App

app = App()


@app.job
def greet(name: str, times: int = 1) -> str:
    return ", ".join([f"hello {name}"] * times)


def main() -> None:
    worker = app.worker(slots=2)
    worker.start()
    run = greet.submit("Ann", times=2)
    print("submitted", run.id)
    print("result   ", run.result(timeout="30s"))
    print("state    ", run.state)
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
