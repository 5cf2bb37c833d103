-- Of a row of log lines, the unique index of its run, fence and number took half of the time. The
-- millisecond in the run's id finds it as well; what is sent again is asked for. Digits by chance
-- would be shorter, but each batch would change pages all over the index.
create table rota.log_chunk_next (
    id        integer primary key,
    run_id    text not null,
    namespace text not null,
    job       text not null,
    attempt   integer not null,
    fence     integer not null,
    seq       integer not null,
    first_at  integer not null,
    marks     text not null,
    body      text not null
);
insert into rota.log_chunk_next (
    id, run_id, namespace, job, attempt, fence, seq, first_at, marks, body
)
select id, run_id, namespace, job, attempt, fence, seq, first_at, marks, body
  from rota.log_chunk
 order by id;
drop table rota.log_chunk;
alter table rota.log_chunk_next rename to rota.log_chunk;
create index log_chunk_run on rota.log_chunk (substr(cast(run_id as text), 1, 13));
insert into sqlite_stat1 (tbl, idx, stat) values ('rota.log_chunk', 'rota.log_chunk_run', '1000000 10');
