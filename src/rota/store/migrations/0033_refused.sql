-- Runs that failed because their worker reaches no such address or starts no such program.
alter table rota.statistic add column refused {type:bigint} not null default 0;
