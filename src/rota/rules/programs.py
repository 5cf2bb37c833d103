"""Programs of jobs: which words of a command an argument of a run may fill in.

Whoever may start a run chooses its arguments, and need not be trusted with programs. So an argument
is a word, or a part of one, that a program is given; never the program, nor the text of a shell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rota.errors import BadOption
from rota.rules.template import placeholders

SHELLS = frozenset(("ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh"))


def check_argv(argv: Sequence[str]) -> None:
    """BadOption where an argument would choose the program, or be read by a shell."""
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


def _scripts(argv: Sequence[str]) -> list[str]:
    """The texts that shells among the words are told to carry out."""
    found = []
    for place, word in enumerate(argv):
        if PurePath(word).name not in SHELLS:
            continue
        for number, flag in enumerate(argv[place + 1 :], place + 2):
            if flag.startswith("-") and not flag.startswith("--") and "c" in flag:
                found += [text for text in argv[number:] if not text.startswith(("-", "+"))][:1]
                break
    return found
