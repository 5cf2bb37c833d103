-- Retention drops whole partitions: one set for good endings, one for bad, a day each.
create table rota.run_history_good partition of rota.run_history
    for values in ('success', 'skipped') partition by range (finished_at);
create table rota.run_history_good_rest partition of rota.run_history_good default;
create table rota.run_history_bad partition of rota.run_history
    for values in ('failed', 'cancelled') partition by range (finished_at);
create table rota.run_history_bad_rest partition of rota.run_history_bad default;
create table rota.attempt_rest partition of rota.attempt default;

create index run_history_id on rota.run_history (id);
create index attempt_run on rota.attempt (run_id);
