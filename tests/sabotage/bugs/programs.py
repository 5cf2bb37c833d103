"""Bugs in starting programs: what the settings of a worker keep from them."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

STARTING = "runtime/executors/command/start.py"
T_WALLS = "tests/integration/test_walls.py::"

PROGRAMS = (
    Sabotage(
        name="a program with the worker's whole environment",
        breaks="Every job reads the address of the database and all secrets of the worker.",
        edits=(
            Edit(
                path=STARTING,
                within="_inherited",
                old="(*SAFE_ENV, *programs.pass_env)",
                new="tuple(os.environ)",
            ),
        ),
        caught_by=(
            T_WALLS + "test_programs_get_the_variables_of_the_worker_that_the_settings_name",
        ),
    ),
    Sabotage(
        name="a home folder outside of the allowed ones",
        breaks="A job with cwd: ~ runs in a folder that the worker's settings do not allow.",
        edits=(
            Edit(
                path=STARTING,
                within="start_program",
                old="_folder(at_home(cwd, programs), programs.folders)",
                new="at_home(cwd, programs)",
            ),
        ),
        caught_by=(T_WALLS + "test_a_tilde_is_the_home_folder_of_whom_the_program_runs_as",),
    ),
)
