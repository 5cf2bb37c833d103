"""CPU-bound work: functions in processes of their own that report their progress.

Run it with `python examples/images.py`. It paints a picture and shows the progress, then makes two
thumbnails in parallel processes. Pictures are plain PGM files, so nothing else is needed.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from rota import App, Run, progress

app = App()


@app.job(isolation="process", memory="512MB", timeout="1m")
def paint(path: Path, size: int) -> Path:
    """Paint the Mandelbrot set in shades of grey."""
    rows = []
    for y in range(size):
        rows.append(
            bytes(_grey(complex(3 * x / size - 2.2, 3 * y / size - 1.5)) for x in range(size))
        )
        progress((y + 1) / size, f"row {y + 1} of {size}")
    path.write_bytes(f"P5 {size} {size} 255\n".encode() + b"".join(rows))
    return path


@app.job(isolation="process", memory="512MB", timeout="1m")
def shrink(path: Path, factor: int) -> Path:
    """Make a smaller copy from every n-th pixel."""
    head, pixels = path.read_bytes().split(b"\n", 1)
    width = int(head.split()[1])
    rows = [pixels[y * width : (y + 1) * width : factor] for y in range(0, width, factor)]
    small = path.with_stem(f"{path.stem}-{len(rows)}")
    small.write_bytes(f"P5 {len(rows[0])} {len(rows)} 255\n".encode() + b"".join(rows))
    return small


def _grey(c: complex) -> int:
    z, steps = 0j, 0
    while abs(z) <= 2 and steps < 63:  # noqa: PLR2004  # beyond 2 it never returns
        z, steps = z * z + c, steps + 1
    return 255 - 4 * steps


def follow(run: Run[Path]) -> Path:
    """Print the progress of a run until it has ended."""
    seen = ""
    while not run.show().finished_at:
        note = run.show().progress_note or ""
        if note != seen:
            print("painting:", note)
            seen = note
        time.sleep(0.05)
    return run.result(timeout="1m")


def main() -> None:
    # Progress is sent with the heartbeat, by default every 4 s.
    worker = app.worker(slots=2, heartbeat_ms=200)
    worker.start()
    with TemporaryDirectory() as folder:
        picture = follow(paint.submit(Path(folder, "apple.pgm"), 320))
        for run in shrink.submit_many([(picture, 2), (picture, 4)]):
            small = run.result(timeout="1m")
            print(f"made {small.name}, {small.stat().st_size:,} bytes")
    worker.stop()
    app.close()


if __name__ == "__main__":
    main()
