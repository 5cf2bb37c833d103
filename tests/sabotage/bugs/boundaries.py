"""Bugs at the borders: the user's own tables, secrets, terminals, rights, text that is code."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

BARE = "store/sqlite/legacy_names.py"
T_NAMES = "tests/contract/store/test_sqlite_names.py::"
T_TERMINAL = "tests/api/server/test_terminal.py::"
T_FILES = "tests/contract/store/test_file_rights.py::"
T_COMMANDS = "tests/integration/test_commands.py::"
T_PROGRAMS = (
    "tests/unit/jobs/test_programs.py::"
    "test_no_text_that_another_program_reads_as_code_takes_an_argument"
)
T_MASKED = "tests/integration/test_masked_errors.py::"

BOUNDARIES = (
    Sabotage(
        name="a statement without the prefix",
        breaks="On SQLite Rota reads or writes a table of the user's.",
        edits=(
            Edit(
                path="store/sql/runs/effects.sql",
                within="find_effect",
                old="rota.effect",
                new="effect",
            ),
        ),
        caught_by=(T_NAMES + "test_no_statement_names_a_table_without_the_prefix",),
    ),
    Sabotage(
        name="an index without the prefix",
        breaks="An index of the user's stops the migration of a new file.",
        edits=(
            Edit(
                path="store/migrate.py",
                within="_prefix",
                old='dialect.schema == "rota."',
                new='dialect.schema != ""',
            ),
        ),
        caught_by=(T_NAMES + "test_all_that_rota_makes_has_its_prefix",),
    ),
    Sabotage(
        name="every table named migration is ours",
        breaks="The user's own tables are taken for those of 0.1.0 and renamed.",
        edits=(
            Edit(
                path=BARE,
                within="applied_before",
                old="if len(strange) == len(rows):",
                new="if not rows:",
            ),
        ),
        caught_by=(T_NAMES + "test_a_table_named_migration_with_other_rows_is_no_file_of_ours",),
    ),
    Sabotage(
        name="names given up are renamed",
        breaks="A table of the user's is renamed because a migration once used its name.",
        edits=(
            Edit(
                path=BARE,
                within="objects_of",
                old="kinds[new] = kinds.pop(old)",
                new="kinds[new] = kinds[old]",
            ),
        ),
        caught_by=(T_NAMES + "test_a_name_that_a_migration_gave_up_is_the_users",),
    ),
    Sabotage(
        name="no mark for the first version",
        breaks="0.1.0 makes its tables again in a file that was renamed, and works on those.",
        edits=(Edit(path=BARE, within="rename", old="tx.script(_MARK)", new="pass"),),
        caught_by=(T_NAMES + "test_a_file_of_the_first_version_goes_on_under_the_new_names",),
    ),
    Sabotage(
        name="errors are not masked",
        breaks="A token in the message of an exception is stored and shown to everybody.",
        edits=(
            Edit(
                path="runtime/attempts/table.py",
                within="AttemptTable._ended",
                old="ending = masked(call, ending, self._log_buffer.masker)",
                new="pass",
            ),
        ),
        caught_by=(T_MASKED + "test_errors_of_every_kind_of_job_are_masked[sqlite]",),
    ),
    Sabotage(
        name="secrets of the job itself are not known",
        breaks="A server that repeats the Authorization header has it stored in the error.",
        edits=(
            Edit(
                path="runtime/attempts/masked_endings.py",
                within="_secrets_of",
                old="return tuple(word for word in words",
                new="return tuple(word for word in ()",
            ),
        ),
        caught_by=(T_MASKED + "test_errors_of_every_kind_of_job_are_masked[sqlite]",),
    ),
    Sabotage(
        name="half a secret beside a cut",
        breaks="The first half of a token stays where a long message was cut.",
        edits=(
            Edit(
                path="runtime/logs/masking.py",
                within="Masker.cut",
                old="if len(parts) > 1 else ()",
                new="if len(parts) > 9 else ()",
            ),
        ),
        caught_by=(T_MASKED + "test_errors_of_every_kind_of_job_are_masked[sqlite]",),
    ),
    Sabotage(
        name="notes of progress are not masked",
        breaks="A token in a note of progress is stored and shown to everybody.",
        edits=(
            Edit(
                path="runtime/attempts/context.py",
                within="ProgressBoard.take",
                old="if mask is None:",
                new="if mask is not None:",
            ),
        ),
        caught_by=(T_MASKED + "test_notes_of_progress_are_masked[sqlite]",),
    ),
    Sabotage(
        name="what is printed is obeyed",
        breaks="A note in the store clears the screen of who looks at it, or types for them.",
        edits=(
            Edit(
                path="cli/safe_text.py",
                within="InertStream.write",
                old="made_inert(text)",
                new="text",
            ),
        ),
        caught_by=(T_TERMINAL + "test_no_command_lets_anything_through[a pipe, from the store]",),
    ),
    Sabotage(
        name="what is drawn is obeyed",
        breaks="A note of progress sends commands to the terminal through a picture of rich.",
        edits=(
            Edit(
                path="cli/safe_text.py",
                within="console",
                old="Segment(made_inert(part.text), part.style)",
                new="part",
            ),
        ),
        caught_by=(
            T_TERMINAL + "test_no_command_lets_anything_through[a terminal, through a server]",
        ),
    ),
    Sabotage(
        name="a token goes to whatever server is named last",
        breaks="Who is talked into `--server https://evil.example` sends the token of rota.toml.",
        edits=(
            Edit(
                path="settings/read.py",
                within="_merge",
                old="is_other and SETTINGS[name].of_server",
                new="False",
            ),
        ),
        caught_by=(
            "tests/unit/settings/test_server_settings.py::test_and_to_no_other[env0-flags0]",
        ),
    ),
    Sabotage(
        name="a new file that everybody can read",
        breaks="All users of a machine read arguments, results and tokens of a store.",
        edits=(
            Edit(
                path="store/sqlite/file.py",
                within="make_private",
                old="S_IFREG | 0o600",
                new="S_IFREG | 0o644",
            ),
        ),
        caught_by=(T_FILES + "test_a_new_store_and_its_log_are_for_the_owner",),
    ),
    Sabotage(
        name="readers have the keys of workers (PostgreSQL)",
        breaks="Who may only read the database signs attempts of any remote worker.",
        edits=(
            Edit(
                path="store/access/rights.py",
                within="",
                old='"worker": Rights("rawd", "ad"),',
                new='"worker": Rights("rawd", "ad", "r"),',
            ),
            Edit(
                path="store/access/rights.py",
                within="",
                old='        "reader": {"r": WORKER_SEEN},\n',
                new="",
            ),
        ),
        caught_by=(
            "tests/contract/identity/test_logins.py::test_keys_of_remote_workers_are_for_servers[reader]",
        ),
        on_postgres=True,
    ),
    Sabotage(
        name="old keys of workers stay good",
        breaks="Keys that were read before the update sign attempts after it.",
        edits=(
            Edit(
                path="store/migrations/0046_worker_keys.sql",
                within="",
                old="where attempt_key is not null",
                new="where attempt_key is null",
            ),
        ),
        caught_by=(T_NAMES + "test_no_old_key_of_a_remote_worker_stays_good",),
    ),
    Sabotage(
        name="an argument is a script",
        breaks="Who may only start runs has any file of the machine carried out.",
        edits=(
            Edit(
                path="rules/security/programs.py",
                within="_fixed_words",
                old="if words_left or (is_option",
                new="if (is_option",
            ),
        ),
        caught_by=(T_PROGRAMS + "[sh {file}]", T_PROGRAMS + "[awk {program} file]"),
    ),
    Sabotage(
        name="an argument behind a subcommand",
        breaks="Who may only start runs has any program carried out by one that starts others.",
        edits=(
            Edit(
                path="rules/security/programs.py",
                within="_read_as_code",
                old="reader_of(*argv[at : at + 2])",
                new="reader_of(argv[at])",
            ),
        ),
        caught_by=(T_PROGRAMS + "[kubectl exec pod -- {x}]",),
    ),
    Sabotage(
        name="an argument after an option of one program",
        breaks="Who may only start runs gives a shell line to a program that starts one.",
        edits=(
            Edit(
                path="rules/security/programs.py",
                within="_check_flags",
                old="        if flag in flags:",
                new="        if flag in CODE_FLAGS:",
            ),
        ),
        caught_by=(T_PROGRAMS + "[split --filter={x} file]",),
    ),
    Sabotage(
        name="an argument inside of a text",
        breaks="A program that nobody thought of reads the argument of a run as code.",
        edits=(
            Edit(
                path="rules/security/programs.py",
                within="_check_texts",
                old="if names and not _PLAIN",
                new="if not names and not _PLAIN",
            ),
        ),
        caught_by=(T_PROGRAMS + "[somelang do({x})]",),
    ),
    Sabotage(
        name="stored commands are trusted",
        breaks="A job that was stored before runs the argument of an operator as code.",
        edits=(
            Edit(
                path="runtime/executors/command/executor.py",
                within="CommandExecutor._carry_out",
                old="check_command(target.argv, target.env)",
                new="pass",
            ),
        ),
        caught_by=(
            T_COMMANDS + "test_a_stored_command_that_is_now_refused_does_not_run[argv1-env1]",
        ),
    ),
    Sabotage(
        name="a migration stands in line (PostgreSQL)",
        breaks="All workers wait behind a migration that waits for somebody's open transaction.",
        edits=(
            Edit(
                path="store/lock_timeouts.py",
                within="_hurry",
                old="set local lock_timeout = {LOCK_MS}",
                new="set local lock_timeout = 20000",
            ),
        ),
        caught_by=(
            "tests/contract/store/test_patience.py::test_others_go_on_while_a_migration_waits",
        ),
        on_postgres=True,
    ),
)
