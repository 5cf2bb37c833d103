"""Importers together: whatever they are given, the file that is written can be applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadFile
from rota.rules.jobs.importers.celery import read_beat, read_beat_json
from rota.rules.jobs.importers.cronjob import read_cronjobs
from rota.rules.jobs.importers.report import Imported
from tests.support.imports import bundle_of, crontab, timers

LINES = st.text(
    st.sampled_from(list("*0123456789,-/@%~=[]# \n\tabcOnTimer.:LWH{}'\"\\$")), max_size=400
)


@pytest.mark.parametrize(
    "read",
    [
        crontab,
        lambda data: read_cronjobs(data, "f"),
        lambda data: read_beat_json(data, "f"),
        lambda data: timers(b"[Timer]\nOnCalendar=" + data),
        lambda data: timers(service=b"[Service]\nExecStart=" + data),
    ],
    ids=["crontab", "cronjob", "celery", "timer", "service"],
)
@given(text=LINES)
def test_whatever_is_imported_can_be_applied_or_is_left_out(
    read: Callable[[bytes], Imported], text: str
) -> None:
    try:
        found = read(text.encode())
    except BadFile:
        return
    assert len(bundle_of(found).jobs) == len(found.entries)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.fixed_dictionaries(
            {"task": st.just("a.b")},
            optional={
                "schedule": st.floats() | st.text(max_size=5) | st.dictionaries(
                    st.sampled_from(["minute", "hour", "day_of_week", "every", "period"]),
                    st.text(st.sampled_from(list("*/,-0123456789mon")), max_size=8) | st.integers(),
                ),
                "args": st.lists(st.integers()) | st.integers(),
                "kwargs": st.dictionaries(st.text(max_size=3), st.integers()) | st.integers(),
                "options": st.dictionaries(st.just("queue"), st.text() | st.floats()),
            },
        ),
        max_size=3,
    )
)  # fmt: skip
def test_whatever_beat_holds(entries: dict[str, Any]) -> None:
    found = read_beat(entries, "m:o")

    assert len(found.entries) + len(found.skipped) == len(entries)
    bundle_of(found)
