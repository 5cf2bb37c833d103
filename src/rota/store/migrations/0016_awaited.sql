-- Runs that wait for runs of other jobs, which theirs depends on. They are pending meanwhile.
-- `parents`: whom a run without a logical time waits for, by job. `note`: what it waits for, for
-- people. A cleared one may start; the row goes when it does.
create table rota.awaited (
    run_id     {type:uuid} not null primary key,
    namespace  text not null,
    parents    text,
    note       text,
    is_cleared {type:bool} not null default false,
    created_at {type:bigint} not null
) {sql:narrow};
