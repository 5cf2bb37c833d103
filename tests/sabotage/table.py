"""All sabotages, found in the modules of `bugs`, and the tests they count on."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from tests.sabotage import bugs
from tests.sabotage.edit import Sabotage


def _found() -> Iterator[Sabotage]:
    for module in sorted(iter_modules(bugs.__path__), key=lambda each: each.name):
        for value in vars(import_module(f"{bugs.__name__}.{module.name}")).values():
            if isinstance(value, tuple) and all(isinstance(each, Sabotage) for each in value):
                yield from value


SABOTAGES = tuple(_found())


def named_tests() -> list[str]:
    """Every test that some sabotage counts on, once."""
    return sorted({test for sabotage in SABOTAGES for test in sabotage.caught_by})
