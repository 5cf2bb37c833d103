"""The output of handlers on the console of the process that runs them: masked, line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rota.cli.safe_text import PICTURES
from rota.cli.serve.log_lines import line_in
from rota.engine.logs import lines_in
from rota.handles.runs.ids import SHORT

if TYPE_CHECKING:
    from rota.model.logs.log import LogChunk


def echo_to(log_format: str) -> Callable[[LogChunk], None]:
    """Return a function that writes the printed lines of a chunk to the current streams.

    Records of logging are left out: they are on stderr already.
    """
    # Take the streams of now: later a worker puts its own in place, to keep handlers' output.
    streams = {"stdout": sys.stdout, "stderr": sys.stderr}
    line_of = line_in(log_format)

    def echo(chunk: LogChunk) -> None:
        for line in lines_in(chunk):
            stream = streams.get(line.stream)
            if stream is not None:
                text = line.text.translate(PICTURES)
                facts = {"job": line.job, "run": line.run_id[-SHORT:], "stream": line.stream}
                stream.write(line_of(line.level, text, facts) + "\n")
                stream.flush()

    return echo
