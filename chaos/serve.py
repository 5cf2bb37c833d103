"""A worker as `rota worker` starts it, with a short lease: `python -m chaos.serve '{...}'`."""

from __future__ import annotations

import json
import sys
from typing import Any

from rota.cli.serve.log_lines import start_logging
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.runtime.options import WorkerOptions
from rota.runtime.supervisor import Incarnation, serve_worker, supervise


def main() -> int:
    said: dict[str, Any] = json.loads(sys.argv[1])

    def serve(life: Incarnation) -> int:
        # Here, because a supervisor has neither threads nor connections.
        from chaos.jobs import app  # noqa: PLC0415

        sys.setswitchinterval(SWITCH_INTERVAL_S)
        start_logging("text")
        try:
            return serve_worker(app.worker(WorkerOptions(**said)), life)
        finally:
            app.close()

    return supervise(serve)


if __name__ == "__main__":
    sys.exit(main())
