"""Bugs in who is alive: leases, heartbeats, reapers, and the worker's own watch."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

WORKERS = "store/sql/workers/registry.sql"
T_HEART = "tests/contract/workers/test_heartbeat.py::"
T_REAP = "tests/contract/workers/test_reap.py::"
T_STRAYS = "tests/contract/workers/test_lost_claims.py::"
T_WATCH = "tests/integration/test_watchman.py::"
T_WORKERS = "tests/contract/workers/test_workers.py::"
T_WORKER_STRAYS = "tests/integration/test_worker_strays.py::"
T_FAR_STRAYS = "tests/api/workers/test_remote_strays.py::"

# Years before the clock of the tests, and away from any other clock.
HOST_NOW = "cast(unixepoch('subsec') * 1000 as integer) - 31536000000"

LEASES = (
    Sabotage(
        name="reaper without the state guard",
        breaks="Runs that no worker holds are reaped again and again.",
        edits=(
            Edit(path=WORKERS, within="orphaned_runs", old="where {from:reap}", new="where true"),
            Edit(
                path=WORKERS,
                within="orphaned_runs",
                old="and worker_id not in (",
                new="and coalesce(worker_id, '') not in (",
            ),
        ),
        caught_by=(T_STRAYS + "test_a_reaper_takes_nothing_that_no_worker_holds[sqlite-queued]",),
    ),
    Sabotage(
        name="reaper without the live-worker check",
        breaks="Runs are taken away from workers that are at work.",
        edits=(
            Edit(
                path=WORKERS,
                within="orphaned_runs",
                old="where w.lease_until > {now}",
                new="where false",
            ),
        ),
        caught_by=(T_REAP + "test_a_run_is_not_reaped_for_its_age[sqlite]",),
    ),
    Sabotage(
        name="reaper trusts dead workers",
        breaks="A worker that vanished keeps its runs as long as its row is there.",
        edits=(
            Edit(
                path=WORKERS,
                within="orphaned_runs",
                old="where w.lease_until > {now}",
                new="where true",
            ),
        ),
        caught_by=(T_REAP + "test_runs_of_several_namespaces_are_reaped_together[sqlite]",),
    ),
    Sabotage(
        name="host clock for the first lease",
        breaks="A worker on a host with a wrong clock is dead on arrival, or immortal.",
        edits=(
            Edit(
                path=WORKERS,
                within="register_worker",
                old="{now} + :lease_ms",
                new=f"{HOST_NOW} + :lease_ms",
            ),
        ),
        caught_by=(T_WORKERS + "test_a_worker_lives_until_its_lease_ends[sqlite]",),
    ),
    Sabotage(
        name="host clock for the renewal",
        breaks="A heartbeat of a host with a wrong clock renews nothing.",
        edits=(
            Edit(
                path=WORKERS,
                within="extend_lease",
                old="{now} + :lease_ms",
                new=f"{HOST_NOW} + :lease_ms",
            ),
        ),
        caught_by=(T_HEART + "test_a_heartbeat_keeps_all_runs_of_a_worker[sqlite]",),
    ),
    Sabotage(
        name="heartbeat of a dead worker",
        breaks="A worker that was given up goes on as if nothing had happened.",
        edits=(
            Edit(
                path="engine/workers/heartbeat.py",
                within="heartbeat",
                old="if not renewed:",
                new="renewed = renewed or [{'drain_asked': False}]\n    if not renewed:",
            ),
        ),
        caught_by=(T_HEART + "test_a_retired_or_unknown_worker_is_told_so[sqlite]",),
    ),
    Sabotage(
        name="heartbeat without the fence",
        breaks="A worker believes it holds a run that another one has.",
        edits=(Edit(path=WORKERS, within="held_changes", old="and run.fence = h.fence"),),
        caught_by=(
            T_HEART + "test_the_answer_names_lost_and_cancelled_runs_and_no_others[sqlite]",
        ),
    ),
    Sabotage(
        name="strays never told",
        breaks="A run whose claim was answered into the void is stuck while its worker lives.",
        edits=(
            Edit(path=WORKERS, within="stray_runs", old="and worker_id = :id", new="and false"),
        ),
        caught_by=(T_STRAYS + "test_a_heartbeat_names_runs_the_worker_never_heard_of[sqlite]",),
    ),
    Sabotage(
        name="strays never given back",
        breaks="A worker hears of its strays and does nothing.",
        edits=(
            Edit(
                path="runtime/heartbeat.py",
                within="_obey",
                old="if pulse.strays:",
                new="if len(pulse.strays) < 0:",
            ),
        ),
        caught_by=(T_STRAYS + "test_a_worker_gives_back_what_it_never_heard_of[sqlite]",),
    ),
    Sabotage(
        name="timeouts not enforced",
        breaks="A handler may run for ever.",
        edits=(
            Edit(
                path="runtime/deadlines.py",
                within="tick",
                old='self._calls.stop(call, "timeout")',
                new="pass",
            ),
        ),
        caught_by=(T_WATCH + "test_a_handler_that_runs_too_long_is_asked_to_stop[sqlite]",),
    ),
    Sabotage(
        name="no self-fence",
        breaks="A worker that cannot renew its lease works on after its runs were given away.",
        edits=(
            Edit(path="runtime/deadlines.py", within="tick", old="self._cut_off()", new="pass"),
        ),
        caught_by=(T_WATCH + "test_a_worker_that_was_silent_too_long_stops_its_own_work[sqlite]",),
    ),
    Sabotage(
        name="drain drops waiting runs",
        breaks="What a stopping worker had claimed ahead is given back to nobody.",
        edits=(
            Edit(
                path="runtime/attempts/table.py",
                within="AttemptTable.withdraw",
                old="self._done(call, Stopped(why))",
                new="self.forget(call)",
            ),
        ),
        caught_by=(T_WATCH + "test_a_drain_gives_back_what_has_not_started[sqlite]",),
    ),
    Sabotage(
        name="a run that its worker knows is given back as a stray",
        breaks="A worker that was stopped for a while begins a run at most once, twice.",
        edits=(
            Edit(
                path="runtime/store_source.py",
                within="_unknown",
                old="not in held_keys",
                new="is not held_keys",
            ),
        ),
        caught_by=(
            T_WORKER_STRAYS + "test_a_run_that_the_worker_knows_is_never_given_back_as_a_stray",
        ),
    ),
    Sabotage(
        name="a server gives back the strays of a far worker unasked",
        breaks="A far worker that was stopped between its list and its heartbeat loses begun runs.",
        edits=(
            Edit(
                path="api/routes/workers/remote.py",
                within="beat",
                old="if data.hears_strays:",
                new="if data.hears_strays is None:",
            ),
        ),
        caught_by=(
            T_WORKER_STRAYS
            + "test_a_heartbeat_with_an_old_list_gives_back_nothing_that_has_begun[sqlite-server]",
        ),
    ),
    Sabotage(
        name="a late claim gives back the strays of a far worker unasked",
        breaks="A claim that lay somewhere takes back what a later one has brought.",
        edits=(
            Edit(
                path="api/remote/claiming.py",
                within="catch",
                old="if strays and body.hears_strays:",
                new="if strays and body.hears_strays is None:",
            ),
        ),
        caught_by=(
            T_FAR_STRAYS
            + "test_a_claim_that_lay_somewhere_gives_back_nothing_that_came_after_it[sqlite]",
        ),
    ),
    Sabotage(
        name="a far worker disowns what it holds",
        breaks="Told of a run that its list lacked, it gives it back without looking.",
        edits=(
            Edit(
                path="remote/tokens.py",
                within="AttemptTokens.disown",
                old="if at in self._held:",
                new="if at is self._held:",
            ),
        ),
        caught_by=(
            T_WORKER_STRAYS
            + "test_a_heartbeat_with_an_old_list_gives_back_nothing_that_has_begun[sqlite-server]",
        ),
    ),
    Sabotage(
        name="a far worker takes what it has given back",
        breaks="The answer to a claim comes late, and a run begins here and elsewhere.",
        edits=(
            Edit(
                path="remote/tokens.py",
                within="AttemptTokens.add",
                old="at not in self._disowned",
                new="at is not self._disowned",
            ),
        ),
        caught_by=(
            T_FAR_STRAYS + "test_an_answer_that_comes_after_its_run_was_given_back_is_not_taken",
        ),
    ),
    Sabotage(
        name="a far worker says goodbye before it has told all ends",
        breaks="What it has begun goes back into its queue as if it had not.",
        edits=(
            Edit(
                path="remote/source.py",
                within="HttpSource.retire",
                old="if has_told:",
                new="if self._transport:",
            ),
        ),
        caught_by=(
            T_FAR_STRAYS + "test_a_worker_that_could_not_tell_an_end_does_not_say_goodbye[sqlite]",
        ),
    ),
)
