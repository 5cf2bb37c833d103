"""The tables of options: what they promise is what readers, structs and bodies of the API have."""

from __future__ import annotations

from typing import Any, get_type_hints

import msgspec
import pytest

from rota.model.jobs.spec import RetryPolicy
from rota.model.schedules.definitions import Cron, Schedule
from rota.operations.jobs.bodies import JobBody
from rota.operations.runs.bodies import SubmitBody
from rota.operations.schedules.bodies import ScheduleBody
from rota.rules.failures.retry_options import RETRY
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.jobs.options import JOB_OPTIONS, TIMING_OPTIONS, JobOptions, SubmitOptions
from rota.rules.schedules.option_table import BY_NAME, SCHEDULE_OPTIONS
from rota.rules.text.option import Option

PLAIN = JobOptions(name="plain")
USUAL = {
    "retries": RetryPolicy().limit,
    "key_window": 7 * 86_400_000,
    "jitter": RetryPolicy().jitter,
}
OWN_TYPES = {"dependencies"}
"""The API has an empty list for these, not null."""


def struct_of(option: Option) -> type[msgspec.Struct]:
    if option in RETRY and option.name != "retry":
        return RetryPolicy
    return JobOptions if "job" in option.where else SubmitOptions


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_becomes_a_field(option: Option) -> None:
    own = {"retry": "retry_function", "schedule": "schedules"}

    assert own.get(option.name, option.field) in struct_of(option).__struct_fields__


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS if each.default], ids=lambda option: option.name
)
def test_the_default_that_is_told_is_the_one_that_counts(option: Option) -> None:
    told: Any = option.default.strip("`")
    told = {"False": False}.get(told, int(told) if told.isdecimal() else told)
    holder = RetryPolicy() if option in RETRY else PLAIN

    usual = USUAL.get(option.name, getattr(holder, option.field, None))

    assert option.read(option.name, told) == usual


@pytest.mark.parametrize("option", BY_NAME.values(), ids=lambda option: option.name)
def test_an_option_of_a_schedule_is_a_field_with_the_default_that_is_told(option: Option) -> None:
    plain = getattr(Schedule(trigger=Cron(expression="@daily")), option.name)

    told = option.default.strip("`")

    assert not told or str(plain).lower() == told.lower()


def test_a_job_knows_the_options_of_schedules_without_loading_them() -> None:
    assert TIMING_OPTIONS - {"name"} == SCHEDULE_OPTIONS - JOB_OPTIONS


def test_a_name_in_json_is_in_camel_case() -> None:
    assert BY_NAME["catchup_window"].json_name == "catchupWindow"
    assert BY_NAME["zone"].json_name == "zone"


@pytest.mark.parametrize(
    ("body", "table"),
    [(JobBody, OPTIONS), (SubmitBody, OPTIONS), (ScheduleBody, BY_NAME.values())],
    ids=["job", "submit", "schedule"],
)
def test_a_body_of_the_api_takes_what_the_table_says(body: Any, table: Any) -> None:
    hints = get_type_hints(body)
    options = [option for option in table if option.name in hints]
    told = {field.name: field.encode_name for field in msgspec.structs.fields(body)}

    assert len(options) > 7
    for option in options:
        assert told[option.name] == option.json_name
        if option.name not in OWN_TYPES:
            assert hints[option.name] == option.body | None, option.name
