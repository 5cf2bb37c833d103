-- How runs ended, by job and queue, in minutes and in hours; counted behind from history (ADR 24).
-- Times in JSON: how many runs took how long, in steps that grow.
create table rota.statistic (
    namespace text not null,
    span_ms   {type:int} not null,
    at        {type:bigint} not null,
    job       text not null,
    queue     text not null,
    success   {type:bigint} not null,
    failed    {type:bigint} not null,
    cancelled {type:bigint} not null,
    skipped   {type:bigint} not null,
    retries   {type:bigint} not null,
    busy_ms   {type:bigint} not null,
    durations text not null,
    waits     text not null,
    lags      text not null,
    primary key (namespace, span_ms, at, job, queue)
) {sql:narrow};

create index statistic_old on rota.statistic (span_ms, at);

-- Up to which moment history is counted; one row.
create table rota.counted (
    name  text not null primary key,
    until {type:bigint} not null
);
