"""A worker process with short leases: `python -m tests.crash.serve '{"lease_ms": 1500}'`.

With `supervised` it has a supervisor, with `processes` several workers as in `rota worker`; `app`
is the module whose app it serves. Notices go to stdout, a line each.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

from rota.cli.serve.processes import serve_all
from rota.ids import new_id
from rota.notices import subscribe
from rota.runtime.lifeline import Lifeline
from rota.runtime.options import WorkerOptions
from rota.runtime.supervisor import Incarnation, serve_worker, supervise


def main() -> int:
    said: dict[str, Any] = json.loads(sys.argv[1])
    supervised = said.pop("supervised", False)
    processes = said.pop("processes", 0)
    module = said.pop("app", "tests.crash.shop")
    subscribe(print_notice)

    def serve(life: Incarnation) -> int:
        # Here, because a supervisor has neither threads nor connections.
        app = import_module(module).app
        code = serve_worker(app.worker(WorkerOptions(**said)), life)
        app.close()
        return code

    if processes:
        return serve_all(processes, serve)
    return supervise(serve) if supervised else serve(Incarnation(new_id(), (), Lifeline()))


def print_notice(name: str, facts: dict[str, Any]) -> None:
    """Print a notice as a line that `Program.notices` reads."""
    sys.stdout.write(json.dumps({"notice": name, **facts}, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
