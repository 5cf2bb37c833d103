-- readable from: 35
-- A worker whose claims fail again and again, since when and why; null while they do not.
alter table rota.worker add column stalled_at {type:bigint};
alter table rota.worker add column stalled_why text;
