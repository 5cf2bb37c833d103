-- A row of log lines may hold those of many runs: `run_id` is the least of their ids, `last_id` the
-- greatest, `parts` says whose lines come after each other.
alter table rota.log_chunk add column last_id {type:uuid};
alter table rota.log_chunk add column parts text;
create index log_chunk_sheaf on rota.log_chunk (run_id) where last_id is not null;
