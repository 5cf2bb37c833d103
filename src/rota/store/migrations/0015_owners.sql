-- Which app declared a job or a schedule in its code; null when it has no name, or nobody's code did.
alter table rota.job add column app text;
alter table rota.schedule add column app text;

-- Who brought a version first, as with `job.origin`; null for those from before.
alter table rota.job_version add column origin text;

create index schedule_app on rota.schedule (namespace, app) where app is not null;
