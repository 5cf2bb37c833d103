-- name: append_logs
-- A chunk that was stored before is sent again when its answer got lost: it stays as it is.
insert into rota.log_chunk (
    run_id, namespace, job, attempt, fence, seq, first_at, marks, body, last_id, parts
)
select run_id, :namespace, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from {rows:log_chunk} as b
 where true
on conflict do nothing

-- name: read_logs
-- By the millisecond in the id first: SQLite's index is of that alone (migration 32).
-- Chunks after those seen of each claim: the last lines of a lost one may come after the next
-- one's.
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.log_chunk as c
 where substr(cast(run_id as text), 1, 13) = substr(cast(cast(:run_id as {type:uuid}) as text), 1, 13)
   and run_id = cast(:run_id as {type:uuid})
   and namespace = :namespace
   and last_id is null
   and not exists (
        select 1
          from {rows:seen} as s
         where s.fence = c.fence
           and s.seq >= c.seq
       )
 order by fence, seq
 limit :limit

-- name: read_sheaves
-- Rows with lines of this run among those of others, submitted shortly before and after.
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.log_chunk
 where last_id is not null
   and run_id >= cast(:first_id as {type:uuid})
   and run_id <= cast(:run_id as {type:uuid})
   and last_id >= cast(:run_id as {type:uuid})
   and parts like :holds
   and namespace = :namespace
