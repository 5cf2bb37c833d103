"""Programs of jobs: which words of a command may come from arguments of a run.

A caller with permission to start a run chooses its arguments, and need not be trusted with
programs. So an argument may be a whole word for a program, or the end of a plain word. It is never
the program, and never a part of a text that could be read as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath

from rota.errors import BadOption
from rota.rules.security.code_readers import (
    CODE_FLAGS,
    PLAIN_TAKERS,
    SHELLS,
    Reader,
    is_loaded,
    reader_of,
)
from rota.rules.text.template import placeholders

_NAMED = re.compile(r"\{\{|\}\}|\{\w+\}")
_PLAIN = re.compile(r"[\w./:=,@%+~-]*")
"""The characters of paths, flags, dates and addresses, and of hardly any code."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def check_command(argv: Sequence[str], env: Mapping[str, str]) -> None:
    """Raise BadOption if an argument would choose a program or be read as code, in words or env."""
    check_argv(argv)
    for name, text in env.items():
        if is_loaded(name) and (names := placeholders((text,))):
            raise BadOption(
                f"env: programs run or load what {name} says, and {{{names[0]}}} would choose it; "
                "write it out"
            )


def check_argv(argv: Sequence[str]) -> None:
    """Raise BadOption if an argument would choose the program or be read as code."""
    _check(tuple(argv))


@lru_cache(maxsize=1_000)
def _check(argv: tuple[str, ...]) -> None:
    if not argv or not argv[0]:
        raise BadOption("command: it needs at least the name of a program")
    if names := placeholders(argv[:1]):
        raise BadOption(
            f"command: the program is {{{names[0]}}}, so that whoever starts a run could choose "
            "any; name the program here, and make only what it is given an argument"
        )
    for text in _scripts(argv):
        if names := placeholders((text,)):
            raise BadOption(
                f"command: a shell would read {{{names[0]}}} as a part of {text!r:.60}; give it to "
                f'the shell as a word: [..., "-c", "... \\"$1\\"", "sh", "{{{names[0]}}}"], or '
                "in env"
            )
    for place in _read_as_code(argv):
        _refuse(argv, place)
    _check_flags(argv)
    _check_texts(argv)


def _refuse(argv: Sequence[str], place: int) -> None:
    if names := placeholders((argv[place],)):
        raise BadOption(
            f"command: {PurePath(argv[0]).name} would carry out {{{names[0]}}}, or read it as "
            "code; write the script or program out and give it the argument after that, or in env"
        )


def _read_as_code(argv: Sequence[str]) -> Iterator[int]:
    """Yield the positions of words that a program carries out or reads as code."""
    at = 0
    while (reader := reader_of(*argv[at : at + 2])) is not None:
        fixed = list(_fixed_words(argv, at, reader))
        yield from fixed
        if not reader.runs or not fixed or fixed[-1] >= len(argv) - 1:
            return
        at = fixed[-1]


def _fixed_words(argv: Sequence[str], at: int, reader: Reader) -> Iterator[int]:
    """Yield the positions up to the script, code or program, and of code after options."""
    if reader.joins:
        yield from range(at + 1, len(argv))
        return
    words_left, place = reader.fixed, at + 1
    while place < len(argv) and (words_left or reader.goes_on or argv[place].startswith("-")):
        word, step = argv[place], 1
        is_option = word.startswith("-") and len(word) > 1
        if words_left or (is_option and word[1] in reader.code):
            yield place
        if not is_option:
            words_left -= bool(words_left and not (reader.runs and _ASSIGNMENT.match(word)))
            if not words_left and reader.runs:
                return
        elif _has(word, reader.code + reader.valued):
            step = 2
            if words_left or _has(word, reader.code):
                yield from range(place + 1, min(place + 2, len(argv)))
            words_left = 0 if _has(word, reader.code) else words_left
        place += step


def _has(option: str, letters: str) -> bool:
    """Whether a word is one of these options, alone or as the last of several: `-c` and `-lc`."""
    return not option.startswith("--") and option[-1] in letters


def _check_flags(argv: Sequence[str]) -> None:
    flags = {flag for word in argv if (reader := reader_of(word)) for flag in reader.flags}
    if PurePath(argv[0]).name not in PLAIN_TAKERS:
        flags |= CODE_FLAGS
    for place, word in enumerate(argv):
        flag, equals, _ = word.partition("=")
        if flag in flags:
            _refuse(argv, place)
            if not equals and place + 1 < len(argv):
                _refuse(argv, place + 1)


def _check_texts(argv: Sequence[str]) -> None:
    """Refuse arguments inside a text, where any program might read them as code."""
    if PurePath(argv[0]).name in PLAIN_TAKERS:
        return
    for word in argv[1:]:
        names = placeholders((word,))
        if names and not _PLAIN.fullmatch(_NAMED.sub(_brace, word)):
            raise BadOption(
                f"command: {{{names[0]}}} stands inside of {word!r:.60}, which a program may read "
                f'as code; give it as a word of its own, "{{{names[0]}}}", as --flag='
                f"{{{names[0]}}}, or in env"
            )


def _brace(token: re.Match[str]) -> str:
    """Return a literal brace as one of the signs of code."""
    return "{" if token[0] in ("{{", "}}") else ""


def _scripts(argv: Sequence[str]) -> Iterable[str]:
    """Yield the texts that shells among the words would carry out."""
    texts = []
    for place, word in enumerate(argv):
        if PurePath(word).name not in SHELLS:
            continue
        for number, flag in enumerate(argv[place + 1 :], place + 2):
            if flag.startswith("-") and not flag.startswith("--") and "c" in flag:
                texts += [text for text in argv[number:] if not text.startswith(("-", "+"))][:1]
                break
    return texts
