insert into sqlite_stat1 (tbl, idx, stat)
values
    ('rota.run', 'rota.run_begun', '1000 1000 10'),
    ('rota.run', 'rota.run_deferred', '100000 100000 10000 1');
analyze sqlite_schema;
