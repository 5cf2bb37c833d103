-- How the runs of a job are shared out between its versions, as a JSON object from version to
-- weight; null when all of them go to the current one.
alter table rota.job add column weights text;

-- Jobs with blanks: a definition in which `${name}` stands for a parameter.
create table rota.job_template (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    revision   {type:int} not null default 1,
    changed_by text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

-- The newest runs of one job among all that have ended.
create index run_history_job on rota.run_history (namespace, job, id);
