"""Bugs in who carries out a run while two versions of its job are alive."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

MISFITS = "engine/runs/argument_mismatch.py"
T_ROLLING = "tests/integration/test_rolling_deploys.py::"
T_MISFITS = "tests/contract/runs/test_misfits.py::"
T_OTHER = "tests/contract/runs/test_other_versions.py::"
T_REMOTE = "tests/api/workers/test_remote_deploys.py::"

VERSIONS = (
    Sabotage(
        name="how a run begins is decided by the code of its worker",
        breaks="Runs of a graph that became a job fail; runs start before those they depend on.",
        edits=(
            Edit(
                path="runtime/dispatch/claims.py",
                within="Claims._look_up",
                old="self._own_facts.get(job, PLAIN) if spec is None else claim_facts(spec)",
                new="self._own_facts.get(job, PLAIN)",
            ),
        ),
        caught_by=(
            T_ROLLING + "test_a_graph_that_is_a_job_now_begins_as_the_graph_of_its_version[sqlite]",
            T_REMOTE
            + "test_a_worker_gets_no_graph_to_carry_out_because_its_name_is_a_job_now[sqlite]",
            T_OTHER + "test_a_run_waits_for_its_dependencies_in_a_worker_whose_own_version_has_none"
            "[sqlite-queues0]",
        ),
    ),
    Sabotage(
        name="a claim of one statement begins no graphs",
        breaks="A worker whose code has no graphs fails runs of older versions that were some.",
        edits=(
            Edit(
                path="runtime/dispatch/claims.py",
                within="Claims.are_to_complete",
                old=" or facts.get((lease.job, lease.version)) is not PLAIN",
                new=" or not facts",
            ),
        ),
        caught_by=(
            T_ROLLING + "test_a_worker_without_graphs_begins_those_of_other_versions[sqlite]",
        ),
    ),
    Sabotage(
        name="arguments that do not fit are always the end",
        breaks="In a rolling deploy runs fail on the wrong worker while the right one is alive.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_apply",
                old="    if any(verdict.misfit for verdict in ordered):",
                new="    if not ordered:",
            ),
        ),
        caught_by=(
            T_MISFITS
            + "test_it_keeps_its_place_and_its_attempts_and_only_the_other_one_gets_it[sqlite]",
        ),
    ),
    Sabotage(
        name="what does not fit goes back although nobody fits it",
        breaks="A run that no code takes is claimed and given back for ever.",
        edits=(
            Edit(
                path=MISFITS,
                within="spared",
                old=" and any(each.fits(**at, takes=takes) for each in others):",
                new=":",
            ),
        ),
        caught_by=(
            T_MISFITS + "test_nobody_waits_for_a_worker_that_is_not_alive[sqlite-retired]",
            T_REMOTE + "test_a_run_that_fits_nobody_fails[sqlite-gone]",
        ),
    ),
    Sabotage(
        name="what does not fit goes back to the same worker",
        breaks="A worker claims the same run again and again.",
        edits=(
            Edit(
                path=MISFITS,
                within="spared",
                old=' if each.id != str(row["worker_id"])]',
                new="]",
            ),
        ),
        caught_by=(
            T_REMOTE + "test_who_says_of_itself_that_a_run_fits_is_not_given_it_again[sqlite]",
        ),
    ),
    Sabotage(
        name="what does not fit goes back to the front",
        breaks="The worker that cannot carry it out claims it again at once.",
        edits=(Edit(path=MISFITS, within="spared", old="shift=lane * SPAN", new="shift=0"),),
        caught_by=(
            T_MISFITS
            + "test_it_keeps_its_place_and_its_attempts_and_only_the_other_one_gets_it[sqlite]",
        ),
    ),
    Sabotage(
        name="a worker that drains counts as one that takes runs",
        breaks="Runs wait for a worker that will never claim them.",
        edits=(
            Edit(
                path="store/sql/admission/lanes.sql",
                within="able_workers",
                old="   and not is_draining\n",
            ),
        ),
        caught_by=(T_REMOTE + "test_a_run_that_fits_nobody_fails[sqlite-draining]",),
    ),
    Sabotage(
        name="a worker of another queue counts as one that takes runs",
        breaks="Runs wait for a worker that does not serve their queue.",
        edits=(
            Edit(path=MISFITS, within="AbleWorker.fits", old="queue in self.queues and ", new=""),
        ),
        caught_by=(T_REMOTE + "test_a_run_that_fits_nobody_fails[sqlite-elsewhere]",),
    ),
    Sabotage(
        name="nobody looks after runs that wait for a worker which left",
        breaks="They wait for ever, when a deploy is over.",
        edits=(
            Edit(
                path=MISFITS, within="stranded", old='reasons[queue, lane] = row["job"]', new="pass"
            ),
        ),
        caught_by=(
            T_MISFITS + "test_what_waits_for_who_left_is_seen_by_all_who_know_the_job[sqlite]",
        ),
    ),
    Sabotage(
        name="who learns of stored jobs forgets what its functions take",
        breaks="Runs that fit a worker with --stored fail on others after a job file was applied.",
        edits=(
            Edit(
                path="engine/workers/registry.py",
                within="learn",
                old="_jobs_text(jobs, takes)",
                new="_jobs_text(jobs, {})",
            ),
        ),
        caught_by=(
            T_MISFITS + "test_who_learns_of_other_jobs_still_says_what_its_own_take[sqlite]",
        ),
    ),
    Sabotage(
        name="a file puts a program in the place of a graph of our code",
        breaks="A worker without --stored runs what whoever may write to the store wants.",
        edits=(
            Edit(
                path="app/workers/handler_resolver.py",
                within="HandlerResolver._instead_of_graph",
                old="if not self._stored and pinned.origin != CODE:",
                new="if False:",
            ),
        ),
        caught_by=(
            T_ROLLING
            + "test_a_program_that_a_file_put_in_the_place_of_a_graph_needs_a_worker_that_may"
            + "[sqlite]",
        ),
    ),
)
