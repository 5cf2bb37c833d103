"""Command lines, environments and exit codes as systemd reads them, without a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_BLANKS = " \t\n\r"
_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " ",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_NUMBERED = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{3})")
_VARIABLE = re.compile(r"\$\$|\$\{([A-Za-z_]\w*)\}", re.ASCII)
EXIT_CODES = {
    "SUCCESS": 0, "FAILURE": 1, "INVALIDARGUMENT": 2, "NOTIMPLEMENTED": 3, "NOPERMISSION": 4,
    "NOTINSTALLED": 5, "NOTCONFIGURED": 6, "NOTRUNNING": 7, "USAGE": 64, "DATAERR": 65,
    "NOINPUT": 66, "NOUSER": 67, "NOHOST": 68, "UNAVAILABLE": 69, "SOFTWARE": 70, "OSERR": 71,
    "OSFILE": 72, "CANTCREAT": 73, "IOERR": 74, "TEMPFAIL": 75, "PROTOCOL": 76, "NOPERM": 77,
    "CONFIG": 78, "CHDIR": 200, "NICE": 201, "FDS": 202, "EXEC": 203, "MEMORY": 204,
    "LIMITS": 205, "OOM_ADJUST": 206, "SIGNAL_MASK": 207, "STDIN": 208, "STDOUT": 209,
    "CHROOT": 210, "IOPRIO": 211, "TIMERSLACK": 212, "SECUREBITS": 213, "SETSCHEDULER": 214,
    "CPUAFFINITY": 215, "GROUP": 216, "USER": 217, "CAPABILITIES": 218, "CGROUP": 219,
    "SETSID": 220, "CONFIRM": 221, "STDERR": 222, "PAM": 224, "NETWORK": 225, "NAMESPACE": 226,
    "NO_NEW_PRIVILEGES": 227, "SECCOMP": 228, "SELINUX_CONTEXT": 229, "PERSONALITY": 230,
    "APPARMOR": 231, "ADDRESS_FAMILIES": 232, "RUNTIME_DIRECTORY": 233, "CHOWN": 235,
    "SMACK_PROCESS_LABEL": 236, "KEYRING": 237, "STATE_DIRECTORY": 238, "CACHE_DIRECTORY": 239,
    "LOGS_DIRECTORY": 240, "CONFIGURATION_DIRECTORY": 241, "NUMA_POLICY": 242,
    "CREDENTIALS": 243, "BPF": 244, "EXCEPTION": 255,
}  # fmt: skip
"""The names that SuccessExitStatus= may use, as listed by `systemd-analyze exit-status`."""
_MOST_CODE = 255


class NotWords(ValueError):
    """The reason why a line cannot be split."""


def split_commands(line: str) -> list[list[str]]:
    """Return the words of each command; a lone `;` separates commands."""
    commands: list[list[str]] = [[]]
    for raw, word in _words(line):
        if raw == ";":
            commands.append([])
        else:
            commands[-1].append(";" if raw == "\\;" else word)
    return [words for words in commands if words]


def split_words(line: str) -> list[str]:
    """Split a line into words, with quotes and escapes as in C; nothing else separates."""
    return [word for _, word in _words(line)]


def _words(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    while True:
        while at < len(line) and line[at] in _BLANKS:
            at += 1
        if at >= len(line):
            return
        start = at
        if line[at : at + 2] == "\\;" and (at + 2 == len(line) or line[at + 2] in _BLANKS):
            at += 2
            yield line[start:at], ";"
            continue
        word, at = _word(line, at)
        yield line[start:at], word


def _word(line: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    quote = ""
    while at < len(line):
        sign = line[at]
        if sign == "\\":
            text, at = _escape(line, at)
            parts.append(text)
            continue
        at += 1
        if quote and sign == quote:
            quote = ""
        elif quote:
            parts.append(sign)
        elif sign in "'\"":
            quote = sign
        elif sign in _BLANKS:
            return "".join(parts), at - 1
        else:
            parts.append(sign)
    if quote:
        raise NotWords("a quote is not closed")
    return "".join(parts), at


def _escape(line: str, at: int) -> tuple[str, int]:
    sign = line[at + 1 : at + 2]
    if sign in _ESCAPES and sign:
        return _ESCAPES[sign], at + 2
    match = _NUMBERED.match(line, at + 1)
    if not match:
        raise NotWords(f"{line[at : at + 4]!r} is not an escape sequence")
    digits, base = (match[4], 8) if match[4] else (match[1] or match[2] or match[3], 16)
    code = int(digits, base)
    if not 0 < code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004  # of Unicode
        raise NotWords(f"{match[0]!r} is not a character")
    return chr(code), match.end()


def expand(words: list[str], env: Mapping[str, str]) -> list[str]:
    """Expand `${NAME}` anywhere, and `$NAME` as a whole word, which is split; `$$` is a dollar."""
    expanded: list[str] = []
    for word in words:
        if word[:1] == "$" and word[1:2] not in ("", "$", "{"):
            expanded += split_words(_value(word[1:], env))
        else:
            expanded.append(
                _VARIABLE.sub(lambda m: "$" if m[0] == "$$" else _value(m[1], env), word)
            )
    return expanded


def _value(name: str, env: Mapping[str, str]) -> str:
    if name not in env:
        raise NotWords(f"${name} is not set by Environment= of the service")
    return env[name]


def exit_codes(text: str) -> tuple[list[int], list[str]]:
    """Return the numbers of SuccessExitStatus=, and its other words, such as signals."""
    codes: list[int] = []
    others: list[str] = []
    for word in text.split():
        number = int(word) if re.fullmatch(r"[0-9]{1,3}", word) else EXIT_CODES.get(word, -1)
        if 0 <= number <= _MOST_CODE:
            codes.append(number)
        else:
            others.append(word)
    return codes, others
