-- readable from: 35
-- Handlers that did not stop when they were asked to: their runs have ended, their threads have not.
alter table rota.worker add column left_behind {type:int} not null default 0;
