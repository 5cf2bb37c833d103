"""Fingerprints: failures with the same cause have the same fingerprint.

A fingerprint covers the job, the type of the error, the place in user code and the message without
its values. Line numbers are left out, so an edit elsewhere in a file changes nothing.
"""

from __future__ import annotations

import hashlib
import re

from rota.model.runs.run import ErrorDetail

HEX_DIGITS = 12
MAX_CHARS = 1_000
"""Characters of a message that count; messages that differ only later have the same cause."""

_FRAME = re.compile(r'^  File "([^"\n]+)", line \d+, in (.+)$', re.MULTILINE)
_FOREIGN = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python3[^/\\]*)[/\\]|^<")
_QUOTED = re.compile(r"(?<!\w)(['\"`])[^'\"`\n]{0,500}\1(?!\w)")
# Ids, digests and numbers are all the same kind: a digest may by chance be all decimal.
_NUMBER = re.compile(
    r"""\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b
      | \b0x[0-9a-f]+\b
      | (?<!\w)[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?(?![\w.])
      | \b(?=[a-f]*[0-9])[0-9a-f]{8,}\b
      | [-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?""",
    re.VERBOSE | re.IGNORECASE,
)
_SEVERAL = re.compile(r"<(n|text)>(?:[,;\s]+<\1>)+")


def fingerprint(*, job: str, error: ErrorDetail | None, reason: str | None) -> str:
    """Return twelve hex digits; a failure without an error is identified by its reason."""
    if error is None:
        parts = [job, "", "", normalised(reason or "")]
    else:
        parts = [job, error.type, place(error.traceback), normalised(error.message)]
    text = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=HEX_DIGITS // 2).hexdigest()


def place(traceback: str) -> str:
    """Return `file.py:function` of the innermost frame, outside libraries if there is one."""
    frames = _FRAME.findall(traceback)
    own = [frame for frame in frames if not _FOREIGN.search(frame[0])] or frames
    if not own:
        return ""
    path, function = own[-1]
    return "{}:{}".format(re.split(r"[/\\]", path)[-1], function)


def normalised(message: str) -> str:
    """Return the message with each value replaced by its kind."""
    text = _QUOTED.sub("<text>", message[:MAX_CHARS])
    text = _NUMBER.sub("<n>", text)
    return " ".join(_SEVERAL.sub(r"<\1>", text).split())
