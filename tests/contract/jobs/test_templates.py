"""Templates on record: put, change, find, remove; each namespace has its own."""

from __future__ import annotations

import pytest

from rota.engine.jobs.templates import find_template, put_template, remove_template, templates
from rota.errors import BadOption, UnknownTemplate
from rota.model.jobs.template import Blank, Template
from rota.store.base import Store
from tests.contract.builders import HOME

HOOK = Template(definition={"name": "${name}"}, parameters={"name": Blank()})
OTHER = Template(definition={"name": "x"}, description="no blanks")


def put(store: Store, template: Template, *, name: str = "t", namespace: str = HOME) -> int:
    return store.write(
        lambda tx: put_template(tx, name, template, namespace=namespace, who="ada")
    ).revision


def names(store: Store, *, after: str = "", limit: int = 9) -> list[str]:
    found = store.read(lambda tx: templates(tx, namespace=HOME, after=after, limit=limit))
    return [each.name for each in found]


def test_a_change_is_counted_and_the_same_again_is_none(store: Store) -> None:
    assert [put(store, each) for each in (HOOK, HOOK, OTHER)] == [1, 1, 2]

    found = store.read(lambda tx: find_template(tx, "t", namespace=HOME))

    assert (found.template, found.changed_by) == (OTHER, "ada")


def test_templates_are_listed_by_name_in_pages(store: Store) -> None:
    for name in ("c", "a", "b"):
        put(store, HOOK, name=name)
    put(store, HOOK, name="z", namespace="elsewhere")

    assert (names(store, limit=2), names(store, after="b")) == (["a", "b"], ["c"])


def test_one_that_is_not_there_cannot_be_found_nor_removed(store: Store) -> None:
    put(store, HOOK, namespace="elsewhere")

    with pytest.raises(UnknownTemplate):
        store.read(lambda tx: find_template(tx, "t", namespace=HOME))
    with pytest.raises(UnknownTemplate):
        store.write(lambda tx: remove_template(tx, "t", namespace=HOME))


def test_a_removed_one_is_gone(store: Store) -> None:
    put(store, HOOK)

    store.write(lambda tx: remove_template(tx, "t", namespace=HOME))

    assert names(store) == []


def test_one_that_makes_no_sense_is_not_kept(store: Store) -> None:
    with pytest.raises(BadOption, match="is not a parameter"):
        put(store, Template(definition={"name": "${name}"}))

    assert names(store) == []
