"""Operations through their doors: a program on the store, and a client of a server.

Whatever an operation does, it does alike through both, with one audit entry for each change.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_type_hints
from urllib.parse import parse_qsl

import msgspec
import pytest

import rota.operations
from rota import Client
from rota.api.server.asgi import PREFIX
from rota.errors import RotaError
from rota.handles.backend import Backend
from rota.model.identity.audit import AuditEntry
from rota.model.view import encode
from rota.operations.operation import Operation, parameters
from rota.operations.wire import Place, answer_type, camel, places
from tests.api.examples import EXAMPLES, Example
from tests.api.serving import HOME, Served
from tests.api.things import Things


def all_operations() -> Iterator[Operation[..., Any]]:
    for found in pkgutil.walk_packages(rota.operations.__path__, "rota.operations."):
        for each in vars(import_module(found.name)).values():
            if isinstance(each, Operation) and each.function.__module__ == found.name:
                yield each


OPERATIONS = {f"{each.method} {each.path}": each for each in all_operations()}


def example_of(operation: Operation[..., Any]) -> Example:
    return EXAMPLES[operation.method, PREFIX + operation.path]


def arguments_of(operation: Operation[..., Any], things: Things) -> dict[str, Any]:
    """What the example of the operation says, as a program says it."""
    example = example_of(operation)
    said = things.fill(example.body) or dict(parse_qsl(example.query.removeprefix("?")))
    hints = get_type_hints(operation.function)
    given: dict[str, Any] = {}
    for name, place in places(operation).items():
        if place is Place.PATH:
            given[name] = msgspec.convert(things.fill(f"{{{name}}}"), hints[name], strict=False)
        elif place is Place.WHOLE_BODY:
            given[name] = msgspec.convert(said, hints[name])
        elif camel(name) in said:
            given[name] = msgspec.convert(said[camel(name)], hints[name])
    return given


def entries(served: Served) -> dict[str, AuditEntry]:
    return {each.id: each for each in served.app.audit.list(limit=1_000)}


@pytest.fixture
def doors(served: Served) -> Iterator[dict[str, Backend]]:
    secret = served.token("admin", "exec", "audit")
    with Client(served.address, token=secret) as client:
        yield {"store": served.app.backend, "server": client.backend}


@pytest.mark.parametrize("door", ["store", "server"])
def test_each_change_leaves_one_audit_entry_through_each_door(
    served: Served, doors: dict[str, Backend], door: str
) -> None:
    for at, operation in OPERATIONS.items():
        example = example_of(operation)
        if operation.verb is None or example.good >= 400:
            continue
        things = Things(served.app.store, HOME, dead=example.dead)
        known = entries(served).keys()

        doors[door].call(operation, **arguments_of(operation, things))

        told = [each for id_, each in entries(served).items() if id_ not in known]
        assert [each.verb for each in told] == [operation.verb] * example.changes, at
        assert all(each.after_digest for each in told), at


def test_both_doors_answer_alike(served: Served, doors: dict[str, Backend]) -> None:
    for at, operation in OPERATIONS.items():
        example = example_of(operation)
        answers = []
        for door in doors.values():
            things = Things(served.app.store, HOME, dead=example.dead)
            try:
                answer = door.call(operation, **arguments_of(operation, things))
            except RotaError as error:
                answers.append({type(error).__name__})
                continue
            assert type(answer) is not dict, at
            answers.append(fields_of(encode(answer)))
        assert answers[0] == answers[1], at


def fields_of(answer: bytes) -> set[str]:
    """The names of all fields in an answer, at whatever depth."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value)
            for each in value.values():
                walk(each)
        for each in value if isinstance(value, list) else ():
            walk(each)

    walk(msgspec.json.decode(answer))
    return found


def test_each_parameter_of_an_operation_has_a_type_and_each_answer_is_a_view() -> None:
    for at, operation in OPERATIONS.items():
        assert set(places(operation)) == set(parameters(operation.function)), at
        assert answer_type(operation.function) is not None, at
        assert operation.function.__doc__, at
