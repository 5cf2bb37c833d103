"""Bugs in what sessions and connections are taken for, behind a pooler and in need."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

DIALER = "store/postgres/connections/connector.py"
T_LEFT = "tests/unit/store/test_leftovers.py::"
T_DIALER = "tests/contract/store/test_connector.py::"
T_POOLER = "tests/integration/test_pooler.py::"
T_WIRE = "tests/integration/test_wire.py::"

POOLING = (
    Sabotage(
        name="prepared statements are numbered",
        breaks="In a session that a pooler shares out a name means the statement of another.",
        edits=(
            Edit(
                path="store/postgres/connections/libpq.py",
                within="LibpqConnection._send",
                old="handle_of(statement.text)",
                new='b"rota_%d" % self._prepared',
            ),
        ),
        caught_by=(T_WIRE + "test_no_two_connections_give_one_name_to_different_statements",),
        on_postgres=True,
    ),
    Sabotage(
        name="statements are prepared behind a pooler that was noticed",
        breaks="The sessions of the pooler fill with statements that the next client stumbles on.",
        edits=(
            Edit(
                path=DIALER,
                within="Connector._settle_in",
                old="self._prepares and connection.is_ours",
                new="self._prepares",
            ),
        ),
        caught_by=(
            T_POOLER + "test_two_processes_with_different_statements_never_meet_in_one_session",
        ),
        on_postgres=True,
    ),
    Sabotage(
        name="a session that others use is trusted on",
        breaks="After the first mix-up statements are prepared there again, and fail again.",
        edits=(
            Edit(
                path=DIALER,
                within="Connector.share",
                old="self.is_shared = True",
                new="self.is_shared = False",
            ),
        ),
        caught_by=(
            T_POOLER + "test_a_transaction_in_which_a_statement_is_missing_happens_once[False]",
        ),
        on_postgres=True,
    ),
    Sabotage(
        name="no bound of connections",
        breaks="While commits hang a process takes one connection of the server after the other.",
        edits=(
            Edit(
                path="store/postgres/connections/leftovers.py",
                within="Leftovers._add",
                old="self._held() < self._most",
                new="True",
            ),
        ),
        caught_by=(
            T_LEFT + "test_no_more_are_made_than_the_bound_and_nothing_is_asked_below_it",
            T_LEFT + "test_an_abandoned_session_counts_until_the_server_has_ended_it",
        ),
    ),
    Sabotage(
        name="many dial at once beyond the bound",
        breaks="All who wait for a connection ask a server that holds too many of ours already.",
        edits=(
            Edit(
                path=DIALER,
                within="Connector._must_share",
                old=" or not self.leftovers.has_room(beside=len(self._dialling))",
                new="",
            ),
        ),
        caught_by=(T_DIALER + "test_only_one_at_a_time_asks_a_server_that_may_hold_too_many",),
        on_postgres=True,
    ),
    Sabotage(
        name="broken connections do not count",
        breaks="Between its break and its end a connection makes room for one more.",
        edits=(
            Edit(
                path="store/postgres/connections/leftovers.py",
                within="Leftovers._held",
                old="not each.is_dropped",
                new="not each.closed",
            ),
        ),
        caught_by=(T_DIALER + "test_a_broken_connection_counts_until_it_is_closed",),
        on_postgres=True,
    ),
)
