insert into sqlite_stat1 (tbl, idx, stat)
values
    ('rota.run', 'rota.run_rerun', '1000 1'),
    ('rota.run_history', 'rota.run_history_rerun', '10000 1');
analyze sqlite_schema;
