-- readable from: 35
-- Which jobs and schedules have a deadline, and when a schedule last missed a firing while it was
-- active, so that alerts need not read all of them.
alter table rota.job_version add column deadline text;
alter table rota.schedule add column deadline text;
alter table rota.schedule add column missed_at {type:bigint};
create index job_version_deadline on rota.job_version (namespace, name, version)
    where deadline is not null;
create index schedule_deadline on rota.schedule (namespace, name) where deadline is not null;
create index schedule_missed on rota.schedule (missed_at) where missed_at is not null;
