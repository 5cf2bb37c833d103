"""The page of promises: each names code and tests, and all that it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security-requirements.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "promise" not in line]
CODE = re.compile(r"`(rota/[\w/]+\.py)`")
PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def defined_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_a_promise_names_code_and_proof_that_are_there(row: str) -> None:
    _, promise, code, proof, _ = row.split("|")

    assert promise.strip().endswith(".")
    assert CODE.findall(code)
    assert PROOF.findall(proof)
    assert [path for path in CODE.findall(code) if not (ROOT / "src" / path).is_file()] == []
    for path, name in PROOF.findall(proof):
        assert (ROOT / path).is_file(), path
        assert not name or name in defined_in(path), f"{path}::{name}"
    said = set(re.findall(r"`([^`]+)`", proof))
    assert said == {path + (f"::{name}" if name else "") for path, name in PROOF.findall(proof)}


def test_no_promise_is_overlooked() -> None:
    assert len(ROWS) > 20
