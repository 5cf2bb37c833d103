-- Effects: what handlers did in the outside world, and how far a run says it has come.

-- A checkpoint lives in the row of its run: it is gone with it, and ending a run costs no more.
alter table rota.run add column checkpoint text;

-- The intent is written before the call outside, the result after it. One without a result is
-- in doubt.
create table rota.effect (
    run_id      {type:uuid} not null,
    name        text not null,
    fence       {type:bigint} not null,
    intended_at {type:bigint} not null,
    settled_at  {type:bigint},
    result      text,
    primary key (run_id, name)
);

create index effect_intended on rota.effect (intended_at);
