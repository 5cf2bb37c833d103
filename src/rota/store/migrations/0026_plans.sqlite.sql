-- What a large store looks like, for the planner. Without it one takes a namespace for rare and
-- reads all of its past to find one run by its id. It never changes: a plan that is good for many
-- rows is good enough for few, and none turns bad one night. Rows, then how many of them have the
-- same first column of the index, the same first two, and so on.
analyze rota.migration;
delete from sqlite_stat1 where tbl = 'rota.migration';
insert into sqlite_stat1 (tbl, idx, stat)
values
    ('rota.run', 'sqlite_autoindex_rota.run_1', '1000000 1'),
    ('rota.run', 'rota.run_ready', '500000 500000 100000 2 1'),
    ('rota.run', 'rota.run_due', '500000 2'),
    ('rota.run', 'rota.run_held', '200 20'),
    ('rota.run', 'rota.run_expiring', '1000 1'),
    ('rota.run', 'rota.run_child', '100000 10 2'),
    ('rota.run', 'rota.run_deadline', '1000 1'),
    ('rota.run', 'rota.run_fired', '100000 3 2'),
    ('rota.run', 'rota.run_backfilled', '100000 1000'),
    ('rota.run', 'rota.run_pointer', '100 1'),
    ('rota.run', 'rota.run_waiting', '500000 500000 100000 10000 1 1'),
    ('rota.run', 'rota.run_parked', '10000 10000 1'),
    ('rota.run', 'rota.run_troubled', '10000 10000 1'),
    ('rota.run_history', 'sqlite_autoindex_rota.run_history_1', '1000000 1'),
    ('rota.run_history', 'rota.run_history_job', '1000000 1000000 10000 1'),
    ('rota.run_history', 'rota.run_history_finished', '1000000 2'),
    ('rota.run_history', 'rota.run_history_bad', '10000 10000 1'),
    ('rota.run_history', 'rota.run_history_fired', '500000 1000 1'),
    ('rota.run_history', 'rota.run_history_child', '100000 10 2 1'),
    ('rota.run_history', 'rota.run_history_pointer', '100 1'),
    ('rota.run_history', 'rota.run_history_result', '100 1'),
    ('rota.run_key', 'sqlite_autoindex_rota.run_key_1', '100000 100000 10000 1'),
    ('rota.run_key', 'rota.run_key_expiring', '100000 2'),
    ('rota.attempt', 'rota.attempt_run', '100000 2'),
    ('rota.attempt', 'rota.attempt_ended', '100000 2'),
    ('rota.dead_letter', 'sqlite_autoindex_rota.dead_letter_1', '10000 1'),
    ('rota.dead_letter', 'rota.dead_letter_open', '10000 10000 500 1'),
    ('rota.dead_letter', 'rota.dead_letter_alike', '10000 10000 1000 500 2 1 1 1'),
    ('rota.dead_letter', 'rota.dead_letter_died', '10000 1'),
    ('rota.schedule', 'sqlite_autoindex_rota.schedule_1', '1000000 1'),
    ('rota.schedule', 'sqlite_autoindex_rota.schedule_2', '1000000 1000000 1'),
    ('rota.schedule', 'rota.schedule_job', '1000000 1000000 2'),
    ('rota.schedule', 'rota.schedule_look', '1000000 10'),
    ('rota.schedule', 'rota.schedule_app', '1000000 1000000 10000'),
    ('rota.schedule', 'rota.schedule_calendar', '1000 1000 100'),
    ('rota.schedule', 'rota.schedule_event', '1000 1000 10 1'),
    ('rota.node', 'sqlite_autoindex_rota.node_1', '1000000 10 1'),
    ('rota.node', 'rota.node_ended', '100000 1'),
    ('rota.node', 'rota.node_past', '100000 10000 1'),
    ('rota.node', 'rota.node_pointer', '100 1');
analyze sqlite_schema;
