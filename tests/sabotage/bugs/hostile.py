"""Bugs in what keeps hostile texts, addresses and requests from being taken for something else."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_AUDIT = "tests/acceptance/test_cli_audit.py::"
T_OIDC = "tests/api/identity/test_oidc.py::"
T_WIRE = "tests/api/server/test_wire_bounds.py::"

HOSTILE = (
    Sabotage(
        name="answers of a provider by address alone",
        breaks="Ten answers that were made up keep everybody at the address from signing in.",
        edits=(
            Edit(
                path="api/routes/identity/oidc.py",
                within="come_back",
                old="counted = JUNK if flow is None else flow.state",
                new="counted = JUNK",
            ),
        ),
        caught_by=(
            f"{T_OIDC}test_junk_of_an_address_shuts_out_nobody_who_was_sent_to_the_provider",
        ),
    ),
    Sabotage(
        name="answers of a provider are not counted",
        breaks="Codes that were made up are asked about as fast as the server answers.",
        edits=(
            Edit(
                path="api/routes/identity/oidc.py",
                within="come_back",
                old="    request.server_state.identities.check_patience(address, counted)\n",
                new="",
            ),
        ),
        caught_by=(f"{T_OIDC}test_bad_codes_of_one_flow_are_not_asked_about_for_ever",),
    ),
    Sabotage(
        name="extensions of each chunk by themselves",
        breaks="A request without credentials sends extensions of chunks without end.",
        edits=(
            Edit(
                path="api/server/protocol.py",
                within="on_chunk_header",
                old="self._chunk_bytes = 0",
                new="self._chunk_bytes = self._loose_bytes = 0",
            ),
        ),
        caught_by=(f"{T_WIRE}test_extensions_of_all_chunks_have_one_bound[at once-5-4000]",),
    ),
    Sabotage(
        name="translated addresses lead nowhere",
        breaks="An HTTP job reaches the machine itself under another form of its address.",
        edits=(
            Edit(
                path="rules/security/addresses.py",
                within="embedded",
                old="address in _NAT64 or address in _TRANSLATED",
                new="address in _NAT64",
            ),
        ),
        caught_by=(
            "tests/unit/identity/test_egress.py::test_no_form_of_an_address_inside_is_public",
        ),
    ),
    Sabotage(
        name="an anchor without its date",
        breaks="Acts that somebody removed count as removed by retention.",
        edits=(
            Edit(
                path="cli/anchors.py",
                within="kept_until",
                old="return act.at.ms + keep_ms",
                new="return None",
            ),
        ),
        caught_by=(
            T_AUDIT
            + "test_acts_that_were_removed_are_missed_by_an_anchor_that_was_printed[sqlite]",
        ),
    ),
    Sabotage(
        name="texts of expressions end at zero",
        breaks="A condition takes `admin` and what follows a zero character for `admin`.",
        edits=(
            Edit(
                path="rules/graphs/expressions/cel.py",
                within="_evaluate",
                old="        self._check_texts(data)\n",
                new="",
            ),
        ),
        caught_by=(
            "tests/unit/graphs/test_expressions.py::test_what_an_expression_does_not_ask_for_may_have_any_text",
        ),
    ),
)
