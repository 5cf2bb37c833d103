"""Tables of the documentation against the code: nothing is missing, nothing is made up."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from typing import get_args

import click
import pytest

import rota
import rota.errors
from rota.cli.commands.runs import submit
from rota.cli.main import COMMANDS, cli
from rota.cli.serve import log_lines as logs
from rota.engine.admission.hold import Hold
from rota.engine.admission.mechanisms import HOLDS
from rota.errors import RotaError
from rota.model.jobs.spec import CommandTarget, HttpTarget
from rota.model.runs.reason import Kind
from rota.model.runs.run import AttemptKind
from rota.model.states import State
from rota.rules.failures import retry
from rota.rules.jobs.options import JOB_OPTIONS, SUBMIT_OPTIONS
from rota.runtime.options import WorkerOptions
from rota.store.options import PoolOptions
from rota.store.postgres.opening import split_options
from tests.docs import holds, tables
from tests.docs.pages import code_in, page, table_under
from tests.docs.states import PAGE, updated

POLICIES = page("docs/policies.md")
CLI = page("docs/cli.md")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, `rota runs show` among them."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield from commands_in(f"rota {name}", command)


def commands_in(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    for verb, each in command.commands.items():
        yield from commands_in(f"{name} {verb}", each)


def error_classes() -> dict[str, type[BaseException]]:
    return {
        name: each
        for name, each in inspect.getmembers(rota.errors, inspect.isclass)
        if issubclass(each, BaseException)
    }


def reasons() -> set[str]:
    """The words of each reason in rules.retry, without the values among them."""
    calls = (node for node in ast.walk(ast.parse(inspect.getsource(retry))))
    given_up = [
        node
        for node in calls
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "GiveUp"
    ]
    parts = [part for each in given_up for part in ast.walk(each.args[0])]
    words = {str(part.value).strip() for part in parts if isinstance(part, ast.Constant)}
    return {each for each in words if len(each) > 1}


def options_in_the_table(column: int) -> set[str]:
    rows = list(table_under(POLICIES.text, first="option"))
    return {code_in(row[0])[0] for row in rows if column == 0 or row[column] == "yes"}


def test_the_table_of_options_holds_exactly_those_of_a_job() -> None:
    assert options_in_the_table(1) == JOB_OPTIONS


def test_the_table_of_options_holds_exactly_those_of_a_submit() -> None:
    assert options_in_the_table(2) == SUBMIT_OPTIONS


@pytest.mark.parametrize("option", sorted(JOB_OPTIONS | SUBMIT_OPTIONS))
def test_an_option_has_an_example_that_is_executed(option: str) -> None:
    examples = "".join(b.text for b in POLICIES.blocks() if b.language == "python")

    assert re.search(rf"[(\s]{option}=", examples)


def test_the_table_of_worker_options_has_each_with_its_default() -> None:
    rows = list(table_under(page("docs/workers.md").section("Options"), first="option"))

    shown = {code_in(row[0])[0]: code_in(row[1]) for row in rows}

    assert list(shown) == list(WorkerOptions.__struct_fields__)
    defaults = WorkerOptions()
    for name, default in shown.items():
        if name != "retention":
            assert default == [repr(getattr(defaults, name))], name


def test_the_parameters_of_an_address_have_their_defaults() -> None:
    rows = table_under(page("docs/storage.md").section("Addresses"), first="parameter")
    said = {code_in(row[0])[0]: code_in(row[1]) for row in rows}
    shown = {name: default[0] for name, default in said.items() if default}

    address = "postgresql://db/rota?" + "&".join(f"{name}={it}" for name, it in shown.items())

    assert split_options(address) == ("postgresql://db/rota", PoolOptions())
    assert said.keys() - shown.keys() == {"direct"}


@pytest.mark.parametrize(
    ("section", "target", "own"),
    [("Programs", CommandTarget, {"argv"}), ("HTTP requests", HttpTarget, {"url"})],
)
def test_the_arguments_of_programs_and_requests_are_all_told(
    section: str, target: type[CommandTarget | HttpTarget], own: set[str]
) -> None:
    rows = table_under(page("docs/jobs.md").section(section), first="argument")

    told = {code_in(row[0])[0] for row in rows}

    assert told == set(target.__struct_fields__) - own


def test_each_command_has_a_section_and_each_section_a_command() -> None:
    told = {heading for heading in CLI.headings() if heading.startswith("rota ")}

    assert told == {f"rota {name}" for name in COMMANDS}


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=str)
def test_a_command_is_told_with_an_example_and_all_its_flags(
    name: str, command: click.Command
) -> None:
    section = CLI.section(" ".join(name.split()[:2]))
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    flags = {flag for param in shown for flag in param.opts if flag.startswith("--")}
    executed = "".join(b.text for b in CLI.blocks() if b.language == "sh")

    assert re.search(rf"{name}\b", section)
    assert {flag for flag in flags if not re.search(rf"{flag}\b", section)} == set()
    assert re.search(rf"\b{name.removesuffix(' list')}\b", executed)


def test_the_flags_of_submit_are_options_of_a_submit() -> None:
    assert set(submit.OPTIONS) <= SUBMIT_OPTIONS


@pytest.mark.parametrize("name", tables.TABLES)
def test_a_table_that_is_made_from_the_code_is_up_to_date(name: str) -> None:
    """If this fails, run `python -m tests.docs.tables`."""
    path, make = tables.TABLES[name]

    assert make() in page(path).text


def test_the_table_of_exit_codes_holds_those_of_all_errors() -> None:
    told = {int(row[0]) for row in table_under(CLI.section("Exit codes"), first="code")}
    errors = {e.exit_code for e in error_classes().values() if issubclass(e, RotaError)}

    assert told == errors | {0, 130}


@pytest.mark.parametrize("name", sorted(error_classes()))
def test_an_error_is_explained(name: str) -> None:
    assert f"`{name}`" in page("docs/troubleshooting.md").text


def test_an_error_is_explained_in_one_place() -> None:
    """Whoever looks it up finds all of it there."""
    text = page("docs/troubleshooting.md").text
    named = [code_in(row[0])[0] for row in table_under(text, first="error")]

    assert len(named) > 40
    assert [name for name, count in Counter(named).items() if count > 1] == []


def test_the_ways_in_which_an_attempt_ends_badly_are_those_of_the_code() -> None:
    rows = table_under(page("docs/failures.md").section("Attempts"), first="kind")

    assert [code_in(row[0])[0] for row in rows] == list(get_args(AttemptKind))


def test_the_reasons_why_a_run_does_not_run_are_those_of_the_code() -> None:
    rows = table_under(page("docs/failures.md").section("Why is it not running?"), first="kind")

    assert sorted(code_in(row[0])[0] for row in rows) == sorted(get_args(Kind))


@pytest.mark.parametrize("words", sorted(reasons()))
def test_a_reason_to_give_up_is_explained(words: str) -> None:
    assert words in page("docs/troubleshooting.md").section("Reasons of a failed run")


@pytest.mark.parametrize("notice", sorted(logs.WARNING | logs.ERROR))
def test_a_warning_in_the_log_is_explained(notice: str) -> None:
    section = page("docs/troubleshooting.md").section("Lines in a worker's log")

    assert logs.MESSAGES[notice] in section


def test_every_state_is_in_the_glossary() -> None:
    rows = table_under(page("docs/glossary.md").section("States"), first="state")

    assert [code_in(row[0])[0] for row in rows] == list(State)


def test_the_table_and_the_picture_of_states_are_up_to_date() -> None:
    """If this fails, run `python -m tests.docs.states`."""
    text = PAGE.read_text()

    assert updated(text) == text
    assert "running --> success: succeed" in text


def test_the_tables_of_holds_are_up_to_date() -> None:
    """If this fails, run `python -m tests.docs.holds`."""
    for path, table in holds.tables().items():
        text = path.read_text()

        assert holds.updated(text, table) == text
        assert table in text


@pytest.mark.parametrize("hold", HOLDS, ids=lambda hold: hold.name)
def test_a_hold_has_a_row_and_its_kind_is_explained(hold: Hold) -> None:
    section = page("docs/failures.md").section("Why is it not running?")
    told = page("docs/failures.md").section("What holds a run back")
    rows = {row[0]: row for row in table_under(told, first="hold")}

    assert hold.name in rows
    assert f"| `{hold.reason}` |" in section
    assert hold.keeps
    assert hold.until


def test_every_public_name_is_used_in_the_documentation() -> None:
    names = (
        "jobs",
        "policies",
        "workers",
        "troubleshooting",
        "effects",
        "storage",
        "breakers",
        "graphs",
        "client",
        "schedules",
        "triggers",
    )
    told = "".join(page(f"docs/{name}.md").text for name in names)

    assert [name for name in rota.__all__ if not re.search(rf"\b{name}\b", told)] == []
