"""The kinds of targets: the name, arguments, permissions and secrets of each.

A new kind is a struct of model.spec, one entry here, and an executor with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, PythonTarget, Target
from rota.rules.text.template import placeholders

SCALAR = "str | int | float | bool"
"""The types that may be put into a program or a request."""


def _no_texts(_: Any) -> tuple[str, ...]:
    return ()


def _no_secrets(_: Any) -> Mapping[str, str]:
    return {}


def _nothing(_: Any) -> None:
    return None


class TargetKind(NamedTuple):
    """The facts about one kind; its functions take a target of the kind."""

    noun: str
    """The noun for people, with its article."""
    executor: str | None = None
    """The executor that runs it; None where the job chooses one, and for graphs."""
    is_template: bool = False
    """Whether its texts hold `{name}` for each parameter, filled with plain texts and numbers."""
    takes_words: bool = False
    """Whether its arguments become words of a command line."""
    texts: Callable[[Any], tuple[str, ...]] = _no_texts
    """Returns the texts that hold `{name}`."""
    secrets: Callable[[Any], Mapping[str, str]] = _no_secrets
    """Returns texts that may hold secrets, by names that tell whether they do."""
    repeats_words: bool = False
    """Whether a part of a secret text may appear alone, such as the second word of `Bearer abc`."""
    power: Callable[[Any], str | None] = _nothing
    """Returns, in words, the power that takes the role `exec`; None without any."""


KINDS: dict[type[Target], TargetKind] = {
    PythonTarget: TargetKind(
        noun="a function",
        power=lambda _: "names a function that workers import",
    ),
    CommandTarget: TargetKind(
        noun="a program",
        executor="command",
        is_template=True,
        takes_words=True,
        texts=lambda target: (*target.argv, *target.env.values()),
        secrets=lambda target: target.env,
        power=lambda _: "runs a program",
    ),
    HttpTarget: TargetKind(
        noun="a request",
        executor="http",
        is_template=True,
        texts=lambda target: (target.url, *target.headers.values(), target.body or ""),
        secrets=lambda target: {**target.headers, "": target.url},
        repeats_words=True,
        power=lambda target: (
            "calls private addresses (allow_private)" if target.allow_private else None
        ),
    ),
    # A graph begins at the claim; its nodes name jobs, and those have their own definitions.
    GraphTarget: TargetKind(noun="a graph"),
}


def target_kind(target: Target) -> TargetKind:
    return KINDS[type(target)]


def parameter_names(target: Target) -> tuple[str, ...]:
    """Return the parameters of a template, in the order in which its texts name them."""
    return placeholders(KINDS[type(target)].texts(target))
