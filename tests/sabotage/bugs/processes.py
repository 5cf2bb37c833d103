"""Bugs in who is started again, who is blamed, and what is noticed of broken files."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

SUPERVISOR = "runtime/supervisor.py"
SQLITE = "store/sqlite/store.py"
T_SUPERVISOR = "tests/unit/workers/test_supervisor.py::"
T_AGAIN = T_SUPERVISOR + "test_a_worker_that_served_and_ended_unasked_is_started_again"
T_DESCRIPTORS = "tests/unit/workers/test_descriptors.py::"
T_SIGNALS = "tests/unit/workers/test_signal_guard.py::"
T_INTEGRITY = "tests/contract/insight/test_integrity.py::"
T_DAMAGED = "tests/contract/store/test_damaged_file.py::"
FILES = "store/sqlite/open_files.py"
T_REPLACED = "tests/contract/store/test_replaced_file.py::"

PROCESSES = (
    Sabotage(
        name="exit code 0 is taken for a stop",
        breaks="A handler that calls os._exit(0) ends its worker for good.",
        edits=(
            Edit(
                path=SUPERVISOR,
                within="_Supervisor._is_over",
                old="return code >= 0 and not self._line.has_served",
                new="return code >= 0",
            ),
        ),
        caught_by=(f"{T_AGAIN}[an exit with 0]", f"{T_AGAIN}[an exit with 3]"),
    ),
    Sabotage(
        name="a farewell that nobody asked for is taken for a stop",
        breaks="A handler that sends TERM to its worker ends it for good.",
        edits=(
            Edit(
                path=SUPERVISOR,
                within="_Supervisor._is_over",
                old="(farewell != 0 or not self._line.has_served)",
                new="True",
            ),
        ),
        caught_by=(f"{T_AGAIN}[a drain that we did not ask for]",),
    ),
    Sabotage(
        name="a new supervisor does not know whose runs were lost",
        breaks="Runs that died with a supervisor and its worker wait for a lease to end.",
        edits=(
            Edit(
                path=SUPERVISOR,
                within="_Supervisor.__init__",
                old="(line.worker_id,) if line.worker_id else ()",
                new="()",
            ),
        ),
        caught_by=(T_SUPERVISOR + "test_a_new_supervisor_knows_the_worker_of_the_dead_one",),
    ),
    Sabotage(
        name="a crash counts although the process was not its own alone",
        breaks="What an earlier run left behind in a process is held against a later one.",
        edits=(
            Edit(
                path="runtime/dispatch/outcomes.py",
                within="_crashed",
                old="if not was_alone:",
                new="if False:",
            ),
        ),
        caught_by=(
            "tests/unit/failures/test_outcomes.py::test_a_process_that_others_had_used_proves_nothing",
        ),
    ),
    Sabotage(
        name="closed descriptors are not noticed",
        breaks="A store writes into files that got the numbers of its own.",
        edits=(
            Edit(
                path="store/descriptors.py",
                within="are_closed",
                old="os.fstat(number).st_ino != identity",
                new="number < 0",
            ),
        ),
        caught_by=(T_DESCRIPTORS + "test_a_reused_descriptor_number_is_noticed",),
    ),
    Sabotage(
        name="closed standard descriptors are not noticed",
        breaks="A worker writes its log into a connection to PostgreSQL.",
        edits=(
            Edit(
                path="store/descriptors.py",
                within="are_standard_closed",
                old="any(_is_closed(number, identity) for number, identity in _standard.items())",
                new="False",
            ),
        ),
        caught_by=(
            T_DESCRIPTORS
            + "test_a_standard_one_that_is_free_or_a_socket_is_noticed[give_it_to_a_socket-1]",
        ),
    ),
    Sabotage(
        name="a handler may open the files of its store",
        breaks="A copy drops the locks of its worker: two processes write at once.",
        edits=(
            Edit(
                path="store/sqlite/file_guard.py",
                within="_hook",
                old='path.rpartition("/")[2] in names',
                new="False",
            ),
        ),
        caught_by=(
            "tests/unit/store/test_file_guard.py::test_a_copy_of_a_file_of_the_store_is_refused[-shm]",
        ),
    ),
    Sabotage(
        name="a handler may signal its worker",
        breaks="os.kill(os.getppid(), 9) ends the supervisor.",
        edits=(
            Edit(
                path="runtime/signal_guard.py",
                within="_hits",
                old="return target in guarded",
                new="return False",
            ),
        ),
        caught_by=(
            T_SIGNALS + "test_a_signal_to_the_own_process_is_refused_where_others_share_it",
        ),
    ),
    Sabotage(
        name="the integrity check is skipped",
        breaks="A broken page is found when somebody needs it.",
        edits=(
            Edit(
                path="store/sqlite/integrity.py",
                within="_examine",
                old='if each != "ok"',
                new="if not each",
            ),
        ),
        caught_by=(T_INTEGRITY + "test_one_broken_page_of_history_is_found[False-sqlite]",),
    ),
    Sabotage(
        name="a replaced file is not noticed",
        breaks="Acknowledged runs are written into a file that nobody finds any more.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles._have_moved",
                old="are_others |= file != self._its_file",
            ),
        ),
        caught_by=(
            T_REPLACED + "test_nothing_is_written_any_more_and_the_words_are_clear[replace-sqlite]",
        ),
    ),
    Sabotage(
        name="a deleted log is not noticed",
        breaks="The next process to open the file begins another log: both are broken.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles._have_moved",
                old="are_others = log != self._its_log",
                new="are_others = False",
            ),
        ),
        caught_by=(
            T_REPLACED
            + "test_nothing_is_written_any_more_and_the_words_are_clear[delete_log-sqlite]",
        ),
    ),
    Sabotage(
        name="changes of the folder are not heard",
        breaks="Acknowledged runs are written into files that nobody finds any more.",
        edits=(
            Edit(
                path="store/sqlite/folder_watch.py",
                within="FolderWatch._read",
                old="in self._names",
                new="in ()",
            ),
        ),
        caught_by=(
            T_REPLACED + "test_nothing_is_written_any_more_and_the_words_are_clear[replace-sqlite]",
        ),
    ),
    Sabotage(
        name="a deleted -shm is not noticed",
        breaks="The next process makes another: both write at once, and the file is broken.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles._have_moved",
                old="are_others |= index != self._its_index",
            ),
        ),
        caught_by=(
            T_REPLACED
            + "test_nothing_is_written_any_more_and_the_words_are_clear[delete_index-sqlite]",
        ),
    ),
    Sabotage(
        name="a log that was cut off is not noticed",
        breaks="Acknowledged runs are written behind a hole, and nobody reads them.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles.harm",
                old="log_bytes < self._log_bytes and ",
                new="False and ",
            ),
        ),
        caught_by=(T_DAMAGED + "test_no_write_is_acknowledged_any_more[cut_log-sqlite]",),
    ),
    Sabotage(
        name="a log that SQLite cut off itself is taken for damage",
        breaks="A checkpoint by an administrator ends all workers.",
        edits=(
            Edit(path=FILES, within="StoreFiles.harm", old=" and log_bytes < _log_bytes(index)"),
        ),
        caught_by=(
            T_DAMAGED
            + "test_a_log_that_sqlite_itself_copies_back_or_cuts_off_is_no_harm[truncate-sqlite]",
        ),
    ),
    Sabotage(
        name="a copy over the living file is not noticed",
        breaks="Pages of a backup are mixed with those of the log.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles._harm_of_file",
                old="is_excused or head == self._head",
                new="True",
            ),
        ),
        caught_by=(T_DAMAGED + "test_no_write_is_acknowledged_any_more[copy_over-sqlite]",),
    ),
    Sabotage(
        name="a checkpoint is taken for a copy over the file",
        breaks="Workers end whenever SQLite copies its log back.",
        edits=(
            Edit(
                path=FILES,
                within="StoreFiles._harm_of_file",
                old="is_excused = was != now",
                new="is_excused = was == _IN_PROGRESS",
            ),
        ),
        caught_by=(
            T_DAMAGED
            + "test_a_log_that_sqlite_itself_copies_back_or_cuts_off_is_no_harm[passive-sqlite]",
        ),
    ),
    Sabotage(
        name="damage that SQLite finds is an outage",
        breaks="A process goes on to acknowledge what it writes into a broken file.",
        edits=(
            Edit(
                path="store/sqlite/errors.py",
                within="translated",
                old="is_living and is_damage(error)",
                new="False",
            ),
        ),
        caught_by=(
            T_DAMAGED + "test_a_store_in_which_sqlite_finds_damage_is_lost_for_good[words0-sqlite]",
        ),
    ),
    Sabotage(
        name="a look at the files drops the locks of others",
        breaks="Two processes write at once.",
        edits=(
            Edit(
                path="store/sqlite/file_reader.py",
                within="FileReader.close",
                old=" and not _has_locks(self._path)",
            ),
        ),
        caught_by=(
            T_DAMAGED + "test_looking_at_the_files_keeps_the_locks_of_other_connections[sqlite]",
        ),
    ),
    Sabotage(
        name="closing removes the log of another",
        breaks="What another process has written into its log is lost.",
        edits=(
            Edit(
                path=SQLITE,
                within="SqliteStore.close",
                old="SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1",
                new="SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0",
            ),
        ),
        caught_by=(T_REPLACED + "test_closing_it_leaves_the_log_of_another_alone[sqlite]",),
    ),
)
