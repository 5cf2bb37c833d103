"""The API against its own description: whatever fits it, or does not, gets an answer that fits it.

The short form; ROTA_FUZZ=2000 tries so many requests for each operation.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, openapi
from schemathesis.checks import (
    CheckFunction,
    load_all_checks,
    not_a_server_error,
)
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.serving import Served

EXAMPLES = int(os.environ.get("ROTA_FUZZ", "12"))
LIMIT_S = 60
STREAMS = "/api/v1/events"
STREAM_S = 5
"""A stream has no end: the fuzzer listens so long each time, and only some times."""
ALWAYS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
load_all_checks()


@pytest.fixture(scope="module")
def description(shared: Served) -> dict[str, Any]:
    found: dict[str, Any] = shared.client("viewer").get("/api/v1/openapi.json").json()
    return found


def test_the_description_is_3_1_and_tells_each_operation_once(description: dict[str, Any]) -> None:
    assert description["openapi"].startswith("3.1")
    names = [
        operation["operationId"]
        for path in description["paths"].values()
        for operation in path.values()
    ]
    assert len(names) == len(set(names)) > 10
    for path in description["paths"].values():
        for operation in path.values():
            assert operation["security"] == [{"token": []}, {"session": []}]
            assert operation["description"]


def is_endless(operation: Any) -> bool:
    return bool(operation.full_path == STREAMS)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # half a minute of a core, whenever a busy machine has that to give
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_whatever_is_sent_is_answered_as_described(
    shared: Served, description: dict[str, Any], mode: GenerationMode
) -> None:
    schema = openapi.from_dict(description)
    schema.config.update(base_url=shared.address)
    headers = {"Authorization": f"Bearer {shared.token('author', 'exec')}"}
    checks = [*ALWAYS, *([negative_data_rejection] if mode is GenerationMode.NEGATIVE else [])]
    for each in schema.get_all_operations():
        assert isinstance(each, Ok)
        operation = each.ok()

        @settings(
            max_examples=EXAMPLES // 4 if is_endless(operation) else EXAMPLES,
            phases=[Phase.generate],
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def try_it(case: Any) -> None:
            limit_s = STREAM_S if is_endless(case.operation) else LIMIT_S
            answer = case.call(base_url=shared.address, headers=headers, timeout=limit_s)
            case.validate_response(answer, checks=checks)

        try_it()
