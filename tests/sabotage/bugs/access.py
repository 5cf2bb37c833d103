"""Bugs in who may do what at a server: rights that are not asked for, limits that are not there."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_FILES = "tests/api/jobs/test_files.py::"
T_RIGHTS = "tests/api/identity/test_rights.py::"
T_BELOW = "tests/api/identity/test_rights_below.py::"
T_ATTACKS = "tests/api/server/test_attacks.py::"
T_ADDRESSES = "tests/api/jobs/test_job_addresses.py::"
T_BOUND = "tests/api/identity/test_bound_credentials.py::"
T_DOORS = "tests/api/test_operation_doors.py::"
T_NOTHING = "tests/api/test_nothing_to_change.py::"
T_CREDENTIALS = "tests/api/identity/test_credentials.py::"
T_LINKS = "tests/api/identity/test_links.py::"
T_WALLS = "tests/integration/test_walls.py::"
T_WIRE = "tests/api/server/test_wire_bounds.py::"
BECOME = "test_credentials_in_an_address_become_a_header_and_are_told_as_such"
REFUSED = "test_headers_that_would_be_something_else_are_refused_where_they_are_defined"
COMES_BACK = f"{T_RIGHTS}test_what_is_not_in_force_any_more_comes_back_only_with_the_right_to_it"
BY_A_DETOUR = "test_hidden_variables_and_headers_are_not_shown_by_a_detour"
DONE_AGAIN = "test_what_a_run_of_a_graph_did_is_done_again_only_with_the_right_to_it"
STARTS_REMOVED = "test_a_graph_in_force_starts_a_job_that_was_removed_only_with_the_right_to_it"

ACCESS = (
    Sabotage(
        name="a link gives more than its maker has",
        breaks="A token of a viewer makes a link that signs in an admin.",
        edits=(
            Edit(
                path="operations/identity/links.py",
                within="make_link",
                old="caller.credential.id or _token_of_store(tx, caller)",
                new="_token_of_store(tx, caller)",
            ),
        ),
        caught_by=(f"{T_LINKS}test_a_link_has_the_rights_of_the_token_that_asked[sqlite-roles0]",),
    ),
    Sabotage(
        name="sessions make links",
        breaks="Who took over a browser stays signed in by links.",
        edits=(
            Edit(
                path="operations/identity/links.py",
                within="make_link",
                old="if caller.credential.is_session:",
                new="if False:",
            ),
        ),
        caught_by=(f"{T_LINKS}test_a_session_makes_no_link[sqlite]",),
    ),
    Sabotage(
        name="roll back without rights",
        breaks="An author without exec brings back a program, or a function to import.",
        edits=(
            Edit(
                path="operations/jobs/versions.py",
                within="roll_back_job",
                old="check_rights(tx, caller, spec)",
                new="pass",
            ),
        ),
        caught_by=(f"{COMES_BACK}[sqlite-replaced]",),
    ),
    Sabotage(
        name="functions are nobody's business",
        breaks="An author without exec puts a version in force that imports any function.",
        edits=(
            Edit(
                path="rules/jobs/target_kinds.py",
                within="",
                old='power=lambda _: "names a function that workers import"',
                new="power=_nothing",
            ),
        ),
        caught_by=(f"{COMES_BACK}[sqlite-replaced]",),
    ),
    Sabotage(
        name="templates without rights",
        breaks="Somebody with exec makes a job of a template that somebody without has rewritten.",
        edits=(
            Edit(
                path="operations/permissions.py",
                within="check_template_rights",
                old="power = power_of_template(definition)",
                new="power = None",
            ),
        ),
        caught_by=(
            f"{T_RIGHTS}test_templates_with_programs_are_for_those_who_may_run_programs[sqlite]",
        ),
    ),
    Sabotage(
        name="redrive without rights",
        breaks="An operator runs a program again whose job was removed.",
        edits=(
            Edit(
                path="engine/failures/redrive.py",
                within="_submit",
                old="check({_start(row, versions) for row in rows})",
                new="pass",
            ),
        ),
        caught_by=(f"{COMES_BACK}[sqlite-removed]",),
    ),
    Sabotage(
        name="removed nodes without rights",
        breaks="An old graph brings back programs whose jobs were removed.",
        edits=(
            Edit(
                path="operations/permissions.py",
                within="_check_parts",
                old="        if not force.has_work_of(part):",
                new="        if part.above is None and not force.has_work_of(part):",
            ),
        ),
        caught_by=(f"{COMES_BACK}[sqlite-replaced]",),
    ),
    Sabotage(
        name="nodes of the past without rights",
        breaks="An operator runs a program that was replaced, by a rerun of a graph that is there.",
        edits=(
            Edit(
                path="engine/jobs/deployed_versions.py",
                within="_below",
                old="self._pins.at(shape, above[1], item.as_of)",
                new="self._pins.at(shape, above[1], NOW)",
            ),
        ),
        caught_by=(f"{T_BELOW}{DONE_AGAIN}[sqlite-a job replaced]",),
    ),
    Sabotage(
        name="submits of what was removed",
        breaks="An operator starts a graph whose node is a program that was removed.",
        edits=(
            Edit(
                path="api/runs/submit_batcher.py",
                within="_submit_in",
                old="check_runs(tx, call.credential, runs, versions)",
                new="pass",
            ),
        ),
        caught_by=(f"{T_BELOW}{STARTS_REMOVED}[sqlite-a job removed]",),
    ),
    Sabotage(
        name="arguments before reach",
        breaks="Who does not reach a job's queue is told what it takes.",
        edits=(
            Edit(
                path="api/runs/submit_batcher.py",
                within="_draft",
                old="        options = submit_options(",
                new="        self._signature(spec).bind((), wish.args)\n"
                "        options = submit_options(",
            ),
        ),
        caught_by=(f"{T_BOUND}test_arguments_of_a_job_in_a_hidden_queue_are_not_shown[sqlite]",),
    ),
    Sabotage(
        name="workers of other queues",
        breaks="A token for some queues reads the names of jobs of others.",
        edits=(
            Edit(
                path="operations/workers/workers.py",
                within="list_workers",
                old="if caller.sees_all_queues:",
                new="if found:",
            ),
        ),
        caught_by=(
            f"{T_BOUND}test_a_token_for_some_queues_sees_only_their_part_of_a_worker[sqlite]",
        ),
    ),
    Sabotage(
        name="values to all authors",
        breaks="An author without exec reads what the variables of programs hold.",
        edits=(
            Edit(
                path="operations/jobs/redaction.py",
                within="_may_write",
                old=' and (power is None or credential.has("exec"))',
                new="",
            ),
        ),
        caught_by=(f"{T_ATTACKS}{BY_A_DETOUR}[sqlite]",),
    ),
    Sabotage(
        name="weights without their nodes",
        breaks="An author without exec shares runs out to a graph whose node was a program then.",
        edits=(
            Edit(
                path="operations/jobs/versions.py",
                within="weigh_versions",
                old="check_starts(tx, caller.credential, "
                "[DeployedStart(job_id, version) for version in wanted])",
                new="pass",
            ),
        ),
        caught_by=(
            f"{T_BELOW}test_weights_bring_back_what_the_nodes_of_that_version_were[sqlite]",
        ),
    ),
    Sabotage(
        name="trailers without an end",
        breaks="Anybody fills the memory of the server with what comes after a body.",
        edits=(
            Edit(
                path="api/server/protocol.py",
                within="data_received",
                old=" or self._loose_bytes > most",
                new="",
            ),
        ),
        caught_by=(
            f"{T_WIRE}test_what_comes_after_the_head_and_is_no_body_has_an_end[login-trailer]",
        ),
    ),
    Sabotage(
        name="trailers are headers",
        breaks="What a proxy has judged as the head of a request is not what is acted on.",
        edits=(
            Edit(
                path="api/server/protocol.py",
                within="on_header",
                old="if self._in_head:",
                new="if 1:",
            ),
        ),
        caught_by=(f"{T_WIRE}test_a_trailer_is_no_header",),
    ),
    Sabotage(
        name="keys given twice",
        breaks="Who checks a request and who acts on it read different values.",
        edits=(
            Edit(
                path="rules/text/json_keys.py",
                within="_check",
                old="if len(dict(pairs)) != len(pairs):",
                new="if pairs is None:",
            ),
        ),
        caught_by=(f"{T_WIRE}test_a_key_that_is_given_twice_is_named[0]",),
    ),
    Sabotage(
        name="failures by address alone",
        breaks="One who guesses locks out everybody behind the same proxy.",
        edits=(
            Edit(
                path="api/identity/login_throttle.py",
                within="check",
                old="at = _network_of(address), secret[:SHOWN]",
                new="at = _network_of(address)",
            ),
        ),
        caught_by=(
            f"{T_CREDENTIALS}test_bad_credentials_are_slowed_down_and_good_ones_are_not[sqlite]",
        ),
    ),
    Sabotage(
        name="guesses at one credential",
        breaks="Who knows how a token begins tries the rest as fast as the server answers.",
        edits=(
            Edit(
                path="api/identity/login_throttle.py",
                within="fail",
                old="(network, secret[:SHOWN])",
                new="(network, secret)",
            ),
        ),
        caught_by=(
            f"{T_CREDENTIALS}test_guesses_at_one_credential_slow_down_that_credential_alone",
        ),
    ),
    Sabotage(
        name="passwords in addresses",
        breaks="Everybody who looks at a job reads the password in its address.",
        edits=(
            Edit(
                path="rules/security/web_address.py",
                within="apart",
                old='if match is None or "@" not in match[2]:',
                new="if match is not None:",
            ),
            Edit(
                path="rules/security/web_address.py",
                within="shown_address",
                old='if match is None or "@" not in match[2]:',
                new="if True:",
            ),
        ),
        caught_by=(f"{T_ADDRESSES}{BECOME}[sqlite]",),
    ),
    Sabotage(
        name="line breaks in headers",
        breaks="A job smuggles a second request into the first.",
        edits=(
            Edit(
                path="rules/security/egress.py",
                within="check_headers",
                old="if not _TOKEN.fullmatch(name) or _BREAK.search(text):",
                new="if not name:",
            ),
        ),
        caught_by=(f"{T_ADDRESSES}{REFUSED}[headers0]",),
    ),
    Sabotage(
        name="answers for whoever has the key",
        breaks="Who guesses an Idempotency-Key reads the answer to somebody else.",
        edits=(
            Edit(
                path="api/server/request.py",
                within="keyed",
                old='facts = f"{whose}\\n{self.method}',
                new='facts = f"{self.method}',
            ),
        ),
        caught_by=(f"{T_BOUND}test_a_repeated_request_is_answered_to_who_sent_it_alone[sqlite]",),
    ),
    Sabotage(
        name="exec taken away by who has none",
        breaks="An admin without exec revokes the tokens of those who have it.",
        edits=(
            Edit(
                path="operations/identity/tokens.py",
                within="revoke_token",
                old="    _check_giving(caller, old.roles, old.queues)\n",
            ),
        ),
        caught_by=(f"{T_BOUND}test_an_admin_takes_from_nobody_what_they_do_not_have[sqlite]",),
    ),
    Sabotage(
        name="an operation without its audit entry",
        breaks="Nobody learns who made a change.",
        edits=(
            Edit(
                path="operations/operation.py",
                within="Operation.__call__",
                old="record_all(tx, [entry])",
                new="del entry",
            ),
        ),
        caught_by=(
            f"{T_DOORS}test_each_change_leaves_one_audit_entry_through_each_door[sqlite-store]",
        ),
    ),
    Sabotage(
        name="what is so already is on record",
        breaks="The audit is full of entries of changes that changed nothing.",
        edits=(
            Edit(
                path="operations/operation.py",
                within="nothing_changed",
                old="del tx.drafts[caller.actor.act_id]",
                new="del tx, caller",
            ),
        ),
        caught_by=(f"{T_NOTHING}test_a_change_made_again_leaves_no_second_entry[sqlite-store]",),
    ),
    Sabotage(
        name="all threads for files",
        breaks="Some viewers who plan large files make everybody else wait.",
        edits=(
            Edit(
                path="api/server/request.py",
                within="_parse",
                old="self.server_state.call_slowly(",
                new="self.server_state.call(",
            ),
        ),
        caught_by=(f"{T_FILES}test_files_that_take_long_to_read_leave_threads_for_others[sqlite]",),
    ),
    Sabotage(
        name="webhooks resolved by anybody",
        breaks="A webhook asks the metadata service of a cloud for its keys, by another name.",
        edits=(
            Edit(
                path="runtime/chores/webhook.py",
                within="_post",
                old="resolver = GuardedResolver(allow_private=allow_private)",
                new="resolver = None",
            ),
        ),
        caught_by=(
            f"{T_WALLS}test_a_webhook_is_judged_by_all_addresses_of_its_name[answer2-True]",
        ),
    ),
    Sabotage(
        name="headers twice",
        breaks="A proxy judges one credential and the server takes the other.",
        edits=(
            Edit(
                path="api/server/edge.py",
                within="_doubled",
                old="if len(set(names)) == len(names):",
                new="if names is not None:",
            ),
        ),
        caught_by=(f"{T_WIRE}test_a_header_that_decides_comes_once[Authorization]",),
    ),
    Sabotage(
        name="answers compressed for strangers",
        breaks="Another site reads secrets from how long compressed answers are.",
        edits=(
            Edit(
                path="api/server/compression.py",
                within="_may_squeeze",
                old="return is_own and",
                new="return bool(headers) and",
            ),
        ),
        caught_by=(
            "tests/api/server/test_compression.py::test_another_site_can_have_nothing_compressed[sqlite]",
        ),
    ),
    Sabotage(
        name="credentials compressed",
        breaks="Tokens and what others choose stand in one compressed answer.",
        edits=(
            Edit(
                path="api/server/compression.py",
                within="_may_squeeze",
                old='any(part in scope["path"] for part in SECRET)',
                new="not SECRET",
            ),
        ),
        caught_by=(
            "tests/api/server/test_compression.py::test_an_answer_with_credentials_is_never_compressed[sqlite]",
        ),
    ),
)
