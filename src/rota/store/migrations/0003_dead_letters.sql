-- Dead letters and what people did about them; and which jobs a worker knows.

create table rota.dead_letter (
    run_id      {type:uuid} not null primary key,
    namespace   text not null,
    job         text not null,
    version     {type:int} not null,
    fingerprint text not null,
    error_type  text not null,
    message     text not null,
    reason      text,
    died_at     {type:bigint} not null,
    state       text not null default 'open',
    acted_at    {type:bigint},
    acted_by    text,
    rerun_id    {type:uuid},
    check (state in ('open', 'redriven', 'discarded')),
    check ((state = 'redriven') = (rerun_id is not null)),
    check ((state = 'open') = (acted_at is null))
);

create index dead_letter_open on rota.dead_letter (namespace, fingerprint, run_id) where state = 'open';
create index dead_letter_died on rota.dead_letter (died_at);

create table rota.act (
    id        {type:uuid} not null primary key,
    namespace text not null,
    at        {type:bigint} not null,
    who       text not null,
    verb      text not null,
    subject   text not null,
    detail    text not null
);

create index act_at on rota.act (at);

-- Null: a worker of an older version, which did not say.
alter table rota.worker add column jobs text;
