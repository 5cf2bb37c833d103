"""PostgreSQL's own load generator: one insert a commit, from clients that cost no Python."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# UUIDv7 made by the server: in order of time, as our clients make them.
SCRIPT = """
insert into rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at
)
select cast(lpad(to_hex(t.now), 12, '0') || '7' || substr(md5(cast(random() as text)), 1, 3)
            || '8' || substr(md5(cast(random() as text)), 1, 15) as uuid),
       'default', 'noop', 1, 'default', 0, 'queued', t.now, '{}', false, t.now, t.now, t.now
  from (select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now) as t;
"""
_TPS = re.compile(r"tps = ([0-9.]+) \(without initial connection time\)")


def insert_rate(binaries: Path, url: str, *, clients: int, total: int, folder: Path) -> float:
    """Return inserts per second, each in its own commit; makes `total` rows, or a few less."""
    script = folder / "insert.pgbench"
    script.write_text(" ".join(SCRIPT.split()) + "\n")
    command = [
        str(binaries / "pgbench"),
        "--no-vacuum",
        "--protocol=prepared",
        f"--file={script}",
        f"--client={clients}",
        f"--jobs={min(clients, 2)}",
        f"--transactions={total // clients}",
        url,
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    found = _TPS.search(ended.stdout)
    if ended.returncode or found is None:
        raise RuntimeError(f"pgbench failed: {ended.stderr.strip() or ended.stdout.strip()}")
    return float(found[1])
