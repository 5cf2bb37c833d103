"""Sheaves and sheets: whatever was printed by whom, each attempt gets its own lines back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rota.ids import derived_id
from rota.model.logs.log import SPAN_MS
from rota.rules.shared_log_rows import NEAR_MS, Parts, attempts_in, first_near, shared_row, split
from rota.runtime.logs.masking import MASK, Masker
from rota.runtime.logs.stdout_batch import StdoutBatch, bound, single

AT_MS = 1_790_000_000_000
SECRET = "swordfish"

printed = st.text(st.sampled_from("ab\né\r\0\ud800"), min_size=1, max_size=8)
attempts = st.lists(
    st.tuples(
        printed,
        st.sampled_from(["resize", "send"]),
        st.integers(0, 3 * NEAR_MS),
        st.integers(0, 2 * SPAN_MS),
    ),
    min_size=1,
    max_size=12,
)


def sheet_of(said: list[tuple[str, str, int, int]]) -> StdoutBatch:
    facts: list[object] = []
    text = ""
    for number, (more, job, made_ms, after_ms) in enumerate(said):
        text += more
        run_id = derived_id(AT_MS + made_ms, number, "run")
        facts += (run_id, job, 1, number, AT_MS + after_ms, len(text))
    return StdoutBatch(text, facts)


def lines_of(text: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n")
    shown = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
    return [line.replace("\0", "\ufffd").replace("\ud800", "?") for line in shown]


@given(attempts)
def test_each_attempt_gets_its_own_lines_back(said: list[tuple[str, str, int, int]]) -> None:
    sheet = sheet_of(said)

    found = {
        (part.fence, part.job, part.first_at): part.body.split("\n")
        for chunk in bound(sheet, Masker())
        for part in split(chunk)
    }

    assert found == {
        (number, job, AT_MS + after_ms): lines_of(text)
        for number, (text, job, _, after_ms) in enumerate(said)
    }


@given(attempts)
def test_a_sheaf_is_of_one_job_and_its_runs_and_lines_are_near_each_other(
    said: list[tuple[str, str, int, int]],
) -> None:
    chunks = bound(sheet_of(said), Masker())

    assert sum(map(attempts_in, chunks)) == len(said)
    for chunk in chunks:
        parts = list(split(chunk))
        assert (chunk.last_id is None) == (chunk.parts is None) == (len(parts) == 1)
        assert chunk.run_id == min(part.run_id for part in parts)
        assert (chunk.last_id or chunk.run_id) == max(part.run_id for part in parts)
        assert all(first_near(part.run_id) <= chunk.run_id for part in parts)
        assert chunk.first_at == min(part.first_at for part in parts)
        assert max(part.first_at for part in parts) - chunk.first_at < SPAN_MS


@given(attempts)
def test_one_by_one_they_are_the_same(said: list[tuple[str, str, int, int]]) -> None:
    sheet = sheet_of(said)

    parts = [part for chunk in bound(sheet, Masker()) for part in split(chunk)]

    assert single(sheet, Masker()) == parts
    assert all(part.parts is None for part in parts)


def test_a_secret_is_masked_in_every_attempt_and_the_lines_stay_where_they_are() -> None:
    said = [(f"{name} {SECRET}\nplain\n", "resize", 0, 0) for name in "abc"]

    (chunk,) = bound(sheet_of(said), Masker([SECRET]))

    assert [part.body for part in split(chunk)] == [f"{name} {MASK}\nplain" for name in "abc"]


def test_the_end_of_one_attempt_does_not_mask_the_beginning_of_the_next() -> None:
    said = [("token:\n", "resize", 0, 0), ("hello\n", "resize", 0, 0)]

    (chunk,) = bound(sheet_of(said), Masker())

    assert [part.body for part in split(chunk)] == ["token:", "hello"]


def test_one_attempt_alone_is_a_chunk_like_any_other() -> None:
    run_id = derived_id(AT_MS, 1, "run")

    chunk = shared_row("resize", Parts([run_id], [2], [3], [AT_MS], [2]), "a\nb")

    assert (chunk.run_id, chunk.attempt, chunk.fence, chunk.seq) == (run_id, 2, 3, 1)
    assert (chunk.marks, chunk.body) == ("[2,0,1,0]", "a\nb")
    assert (chunk.last_id, chunk.parts) == (None, None)
