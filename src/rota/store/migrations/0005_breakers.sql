-- Breakers of jobs, what they judge by, and the outbox of alerts.

-- One row per job that has a rule, or that a person holds back. `turn` grows with each change of
-- the state: it guards the change, and a tally of an older turn does not count any more.
create table rota.breaker (
    namespace  text not null,
    job        text not null,
    rule       text,
    state      text not null default 'closed',
    turn       {type:int} not null default 0,
    opened_at  {type:bigint},
    probe_at   {type:bigint},
    cools      {type:int} not null default 0,
    stays      {type:bool} not null default false,
    probe_id   {type:uuid},
    note       text,
    changed_at {type:bigint} not null,
    primary key (namespace, job),
    check (state in ('closed', 'open', 'half_open')),
    check ((state = 'half_open') = (probe_id is not null)),
    check (not stays or state = 'open')
) {sql:narrow};

-- A claim asks which jobs are held: mostly none, whatever the number of breakers.
create index breaker_holding on rota.breaker (namespace, job) where state <> 'closed';

-- Good and bad attempts by time. `part` is a digit of the worker's id, so that two workers
-- rarely wait for each other's row.
create table rota.breaker_tally (
    namespace  text not null,
    job        text not null,
    turn       {type:int} not null,
    bucket_at  {type:bigint} not null,
    part       text not null,
    good       {type:int} not null,
    bad        {type:int} not null,
    expires_at {type:bigint} not null,
    primary key (namespace, job, turn, bucket_at, part)
) {sql:narrow};

create table rota.alert (
    id        text not null primary key,
    namespace text not null,
    at        {type:bigint} not null,
    kind      text not null,
    payload   text not null,
    told_at   {type:bigint},
    sent_at   {type:bigint},
    tries     {type:int} not null default 0,
    next_at   {type:bigint} not null
);

create index alert_waiting on rota.alert (next_at) where sent_at is null;
