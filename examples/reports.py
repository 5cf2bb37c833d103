"""Flask: order a report, and ask for it later.

Run it with `rota worker reports.py` and `flask --app reports:web run` in this folder. Then
`curl -X POST 127.0.0.1:5000/reports/2026`.
"""

from __future__ import annotations

from flask import Flask

from rota import App, RunNotFinished

app = App()
web = Flask(__name__)


@app.job
def build(year: int) -> str:
    """Build the report of a year."""
    return f"all of {year} in one page"


@web.post("/reports/<int:year>")
def order(year: int) -> tuple[dict[str, str], int]:
    """Order a report; the same year twice is the same run."""
    run = build.with_options(key=f"report-{year}").submit(year)
    return {"run": run.id}, 202


@web.get("/runs/<run_id>")
def report(run_id: str) -> tuple[dict[str, str], int]:
    """Return the report, or 202 if it is not done yet."""
    try:
        return {"report": app.run(run_id).result(timeout="10s")}, 200
    except RunNotFinished:
        return {"run": run_id}, 202
