-- What a large store looks like, for the planner. Without it one takes a namespace for rare and
-- reads all of its past to find one run by its id. It never changes: a plan that is good for many
-- rows is good enough for few, and none turns bad one night. Rows, then how many of them have the
-- same first column of the index, the same first two, and so on.
analyze migration;
delete from sqlite_stat1;
insert into sqlite_stat1 (tbl, idx, stat)
values
    ('run', 'sqlite_autoindex_run_1', '1000000 1'),
    ('run', 'run_ready', '500000 500000 100000 2 1'),
    ('run', 'run_due', '500000 2'),
    ('run', 'run_held', '200 20'),
    ('run', 'run_expiring', '1000 1'),
    ('run', 'run_child', '100000 10 2'),
    ('run', 'run_deadline', '1000 1'),
    ('run', 'run_fired', '100000 3 2'),
    ('run', 'run_backfilled', '100000 1000'),
    ('run', 'run_pointer', '100 1'),
    ('run', 'run_waiting', '500000 500000 100000 10000 1 1'),
    ('run', 'run_parked', '10000 10000 1'),
    ('run', 'run_troubled', '10000 10000 1'),
    ('run_history', 'sqlite_autoindex_run_history_1', '1000000 1'),
    ('run_history', 'run_history_job', '1000000 1000000 10000 1'),
    ('run_history', 'run_history_finished', '1000000 2'),
    ('run_history', 'run_history_bad', '10000 10000 1'),
    ('run_history', 'run_history_fired', '500000 1000 1'),
    ('run_history', 'run_history_child', '100000 10 2 1'),
    ('run_history', 'run_history_pointer', '100 1'),
    ('run_history', 'run_history_result', '100 1'),
    ('run_key', 'sqlite_autoindex_run_key_1', '100000 100000 10000 1'),
    ('run_key', 'run_key_expiring', '100000 2'),
    ('attempt', 'attempt_run', '100000 2'),
    ('attempt', 'attempt_ended', '100000 2'),
    ('dead_letter', 'sqlite_autoindex_dead_letter_1', '10000 1'),
    ('dead_letter', 'dead_letter_open', '10000 10000 500 1'),
    ('dead_letter', 'dead_letter_alike', '10000 10000 1000 500 2 1 1 1'),
    ('dead_letter', 'dead_letter_died', '10000 1'),
    ('schedule', 'sqlite_autoindex_schedule_1', '1000000 1'),
    ('schedule', 'sqlite_autoindex_schedule_2', '1000000 1000000 1'),
    ('schedule', 'schedule_job', '1000000 1000000 2'),
    ('schedule', 'schedule_look', '1000000 10'),
    ('schedule', 'schedule_app', '1000000 1000000 10000'),
    ('schedule', 'schedule_calendar', '1000 1000 100'),
    ('schedule', 'schedule_event', '1000 1000 10 1'),
    ('node', 'sqlite_autoindex_node_1', '1000000 10 1'),
    ('node', 'node_ended', '100000 1'),
    ('node', 'node_past', '100000 10000 1'),
    ('node', 'node_pointer', '100 1');
analyze sqlite_schema;
