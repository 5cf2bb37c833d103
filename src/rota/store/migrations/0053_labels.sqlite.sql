insert into sqlite_stat1 (tbl, idx, stat)
values
    ('rota.run_label', 'sqlite_autoindex_rota.run_label_1', '1000000 3 1'),
    ('rota.run_label', 'rota.run_label_value', '1000000 1000000 300000 1000 1'),
    ('rota.run_label', 'rota.run_label_name', '1000000 1000000 300000 1');
analyze sqlite_schema;
