"""Fingerprints: the same cause has the same one, whatever its values and line numbers are."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.runs.run import ErrorDetail
from rota.rules.failures.fingerprint import fingerprint, normalised, place

TRACE = """Traceback (most recent call last):
  File "/srv/shop/app.py", line {outer}, in charge
    pay(order)
  File "/srv/shop/bank.py", line {inner}, in pay
    raise ValueError(f"order {{order}}")
ValueError: order 17
"""


def of(
    message: str = "order 17", *, job: str = "charge", kind: str = "ValueError", **f: str
) -> str:
    traceback = f.get("traceback", TRACE.format(outer=10, inner=20))
    return fingerprint(
        job=job, error=ErrorDetail(type=kind, message=message, traceback=traceback), reason=None
    )


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("order 17 costs -3.50e3", "order <n> costs <n>"),
        ("no run 0190b5a2-0000-7000-8000-00000000abcd", "no run <n>"),
        ("no user 'ann' in \"eu\" at `host`", "no user <text> in <text> at <text>"),
        ("<Order object at 0x7f00AB12>", "<Order object at <n>>"),
        ("commit deadbeef01 is gone", "commit <n> is gone"),
        ("waited 12.5s, not 1e3.", "waited <n>s, not <n>."),
        ("rows 1, 2, 3 are locked", "rows <n> are locked"),
        ("a\n  b\tc", "a b c"),
        ("can't read user17's file", "can't read user<n>'s file"),
        ("the decade was effaced", "the decade was effaced"),
        ("worker 0190b5a2-0000-7000-8000-00000000abcd died", "worker <n> died"),
        ("", ""),
    ],
)
def test_a_message_is_kept_without_its_values(message: str, kept: str) -> None:
    assert normalised(message) == kept


@given(digest=st.text("0123456789abcdef", min_size=8).filter(lambda text: not text.isalpha()))
def test_digests_do_not_count_even_if_they_are_all_decimal(digest: str) -> None:
    assert of(f"commit {digest} is gone") == of("commit deadbeef01 is gone")


def test_each_part_of_the_cause_counts() -> None:
    elsewhere = TRACE.replace("in pay", "in refund").format(outer=10, inner=20)

    prints = {of(), of(job="refund"), of(kind="KeyError"), of("lost"), of(traceback=elsewhere)}

    assert len(prints) == 5
    assert all(re.fullmatch("[0-9a-f]{12}", each) for each in prints)


@given(outer=st.integers(1, 10**6), inner=st.integers(1, 10**6), order=st.integers())
def test_line_numbers_and_values_do_not_count(outer: int, inner: int, order: int) -> None:
    moved = TRACE.format(outer=outer, inner=inner)

    assert of(f"order {order}", traceback=moved) == of()


@given(value=st.one_of(st.uuids(), st.floats(allow_nan=False, allow_infinity=False)))
def test_ids_and_numbers_of_any_size_do_not_count(value: UUID | float) -> None:
    assert of(f"row {value} is locked") == of("row 7 is locked")


@given(text=st.text(max_size=3_000))
def test_any_text_has_a_fingerprint_and_the_same_one_again(text: str) -> None:
    assert of(text, traceback=text) == of(text, traceback=text)
    assert len(normalised(text)) <= 5 * 1_000


def test_the_place_is_the_innermost_frame_that_is_no_library() -> None:
    library = (
        '  File "/srv/shop/app.py", line 3, in charge\n    get(url)\n'
        '  File "/venv/lib/python3.11/site-packages/client/api.py", line 70, in get\n    x\n'
    )

    assert place(TRACE.format(outer=1, inner=2)) == "bank.py:pay"
    assert place(library) == "app.py:charge"
    assert place('  File "C:\\shop\\app.py", line 3, in <lambda>\n') == "app.py:<lambda>"
    assert place('  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode\n') == (
        "decoder.py:decode"
    )
    assert place("no frames") == ""


def test_a_failure_without_an_error_goes_by_its_reason() -> None:
    lost = fingerprint(job="charge", error=None, reason="stopped with its worker")

    assert lost == fingerprint(job="charge", error=None, reason="stopped with its worker")
    assert lost != fingerprint(job="charge", error=None, reason=None)
