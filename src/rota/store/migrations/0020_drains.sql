-- Somebody wants a worker to take nothing new; it obeys at its next heartbeat.
alter table rota.worker add column drain_asked {type:bool} not null default false;
