"""Bugs in what is remembered: idempotency keys, retention, repeated submits."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

PRUNE = "store/sql/runs/prune.sql"
SUBMIT = "store/sql/runs/submit.sql"
T_ANSWERS = "tests/integration/test_submit_answers.py::"
T_KEYS = "tests/contract/runs/test_keys.py::"
T_PRUNE = "tests/contract/runs/test_prune.py::"
T_SUBMIT = "tests/contract/runs/test_submit.py::"
REPEATED = (
    f"{T_SUBMIT}test_a_submit_that_is_repeated_after_the_end_of_its_run"
    "_does_not_run_it_again[sqlite]"
)
MET = (
    "tests/contract/store/test_interleaving.py::"
    "test_a_repeated_submit_that_meets_the_end_of_its_run_does_not_run_it_again"
)

KEYS = (
    Sabotage(
        name="keys without the namespace",
        breaks="The key of one team hides the run of another.",
        edits=(
            Edit(path=SUBMIT, within="take_keys", old="select :namespace,", new="select 'all',"),
            Edit(
                path=SUBMIT,
                within="find_keys",
                old="k.namespace = :namespace",
                new="k.namespace = 'all'",
            ),
        ),
        caught_by=(T_KEYS + "test_each_job_and_each_namespace_has_keys_of_its_own[sqlite]",),
    ),
    Sabotage(
        name="key digest ignored",
        breaks="Another payload under the same key is swallowed without a word.",
        edits=(
            Edit(
                path="engine/runs/submit.py",
                within="_take_keys",
                old="refused=digest != ask.digest",
                new="refused=False",
            ),
        ),
        caught_by=(T_KEYS + "test_the_same_key_with_other_arguments_is_refused[sqlite]",),
    ),
    Sabotage(
        name="key taken inside its window",
        breaks="The same order is carried out twice.",
        edits=(
            Edit(
                path=SUBMIT,
                within="take_keys",
                old="where run_key.expires_at <= {now}",
                new="where true",
            ),
        ),
        caught_by=(T_KEYS + "test_the_same_key_and_arguments_answer_the_run_that_has_it[sqlite]",),
    ),
    Sabotage(
        name="keys purged inside their window",
        breaks="A key that should protect for a day is forgotten by the next prune.",
        edits=(
            Edit(path=PRUNE, within="prune_keys", old="expires_at <= {now}", new="true", times=2),
        ),
        caught_by=(T_PRUNE + "test_keys_go_when_their_window_has_passed[sqlite]",),
    ),
    Sabotage(
        name="runs pruned before their retention",
        breaks="Results vanish while people still look for them.",
        edits=(
            Edit(
                path=PRUNE,
                within="prune_history",
                old="finished_at < {now} - :keep_ms",
                new="finished_at < {now} - :keep_ms / 2",
            ),
        ),
        caught_by=(
            T_PRUNE + "test_an_ended_run_is_kept_for_the_retention_of_its_kind[sqlite-success]",
        ),
    ),
    Sabotage(
        name="repeated submit runs again",
        breaks="A submit sent twice starts a run that has ended.",
        edits=(
            Edit(
                path="engine/runs/submit.py",
                within="submit",
                old="if is_repeat:",
                new="if is_repeat is None:",
                times=2,
            ),
        ),
        caught_by=(REPEATED,),
    ),
    Sabotage(
        name="repeated submit looks once (PostgreSQL)",
        breaks="A submit sent twice starts a run that ends between its look and its insert.",
        edits=(
            Edit(
                path="engine/runs/submit.py",
                within="submit",
                old="_take_back_ended(tx, fresh, namespace)",
                new="pass",
            ),
        ),
        caught_by=(MET,),
        on_postgres=True,
    ),
    Sabotage(
        name="blind retry of an unknown commit",
        breaks="A client whose connection broke at the commit has its run carried out twice.",
        edits=(
            Edit(
                path="store/settled.py",
                within="until_settled",
                old="attempt(unknown is not None)",
                new="attempt(False)",
            ),
        ),
        caught_by=(T_ANSWERS + "test_a_submit_with_an_unknown_commit_is_one_run[sqlite]",),
    ),
    Sabotage(
        name="a key takes any arguments",
        breaks="An order that was sent with another sum under the same key counts as charged.",
        edits=(
            Edit(
                path="engine/runs/submit.py",
                within="_same_values",
                old="if owner in args and same_json(text, args[owner])",
                new="if owner in args",
            ),
        ),
        caught_by=(
            "tests/contract/runs/test_keys.py::test_the_same_key_with_other_arguments_is_refused[sqlite]",
        ),
    ),
)
