"""A worker process with short leases: `python -m tests.crash.serve '{"lease_ms": 1500}'`.

With `supervised` it has a supervisor as in `rota worker`. Notices go to stdout, a line each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from rota.ids import new_id
from rota.notices import subscribe
from rota.runtime.options import WorkerOptions
from rota.runtime.supervisor import Incarnation, serve_worker, supervise


def main() -> int:
    said: dict[str, Any] = json.loads(sys.argv[1])
    supervised = said.pop("supervised", False)
    subscribe(print_notice)

    def serve(life: Incarnation) -> int:
        # Here, because a supervisor has neither threads nor connections.
        from tests.crash.shop import app  # noqa: PLC0415

        code = serve_worker(app.worker(WorkerOptions(**said)), life)
        app.close()
        return code

    return supervise(serve) if supervised else serve(Incarnation(new_id(), ()))


def print_notice(name: str, facts: dict[str, Any]) -> None:
    """A notice as a line that `Program.notices` reads."""
    sys.stdout.write(json.dumps({"notice": name, **facts}, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
