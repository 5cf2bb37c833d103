"""Bugs of labels: who may set them, how many there may be, who is told of them, when they go."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_LABELS = "tests/contract/runs/test_labels.py::"
T_SEARCH = "tests/contract/runs/test_label_search.py::"
T_API = "tests/api/runs/test_labels.py::"
LABELS = "engine/runs/search/labels.py"

LABELLING = (
    Sabotage(
        name="a label without its fence",
        breaks="A handler that lost its run goes on labelling what another worker runs.",
        edits=(
            Edit(
                path=LABELS,
                within="change_own_labels",
                old='if tx.one("guard_run", **at) is None:',
                new="if not at:",
            ),
        ),
        caught_by=(T_LABELS + "test_a_handler_that_lost_its_run_cannot_label_it[sqlite]",),
    ),
    Sabotage(
        name="labels without end",
        breaks="One run fills the index of labels.",
        edits=(Edit(path=LABELS, within="change_labels", old="check_count(now)", new="str(now)"),),
        caught_by=(T_LABELS + "test_a_run_gets_no_more_labels_than_allowed[sqlite]",),
    ),
    Sabotage(
        name="a search without end",
        breaks="A comparison that holds for none reads all runs that have the label.",
        edits=(
            Edit(
                path="engine/runs/search/pages.py",
                within="_page",
                old="if read >= FAR_BY_LABEL:",
                new="if read < 0:",
            ),
        ),
        caught_by=(
            T_SEARCH + "test_a_comparison_that_holds_for_none_reads_so_far_and_no_further[sqlite]",
        ),
    ),
    Sabotage(
        name="labels of all queues",
        breaks="Who sees one queue reads names of customers of the others.",
        edits=(
            Edit(
                path="operations/runs/labels.py",
                within="list_labels",
                old="if not caller.sees_all_queues:",
                new="if limit < 0:",
            ),
        ),
        caught_by=(T_API + "test_who_sees_some_queues_is_told_no_labels_of_others[sqlite]",),
    ),
    Sabotage(
        name="labels of another namespace",
        breaks="A tenant reads labels of another one.",
        edits=(
            Edit(
                path="store/sql/runs/labels.sql",
                within="labels_of_runs",
                old="namespace || '' = :namespace",
                new="namespace || '' <> cast(:namespace as text) || ' '",
            ),
        ),
        caught_by=(T_LABELS + "test_labels_of_another_namespace_are_not_read[sqlite]",),
    ),
    Sabotage(
        name="labels swept too early",
        breaks="Runs that have ended lose their labels long before they go.",
        edits=(
            Edit(
                path="store/sql/runs/labels.sql",
                within="forget_labels",
                old="not exists (select 1 from rota.run_history as h where h.id = l.run_id)",
                new="true",
            ),
            Edit(
                path="store/sql/runs/labels.sql",
                within="labelled_runs_after",
                old="exists (select 1 from rota.run_history as h where h.id = old.run_id)",
                new="false",
            ),
        ),
        caught_by=(T_LABELS + "test_labels_go_with_their_runs[sqlite]",),
    ),
)
