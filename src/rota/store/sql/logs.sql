-- name: append_logs
-- A chunk that was stored before is sent again when its answer got lost: it stays as it is.
insert into rota.log_chunk (
    run_id, namespace, job, attempt, fence, seq, first_at, marks, body
)
select run_id, :namespace, job, attempt, fence, seq, first_at, marks, body
  from {rows:log_chunk} as b
 where true
on conflict do nothing

-- name: stored_logs
-- Which of these are there.
select c.run_id, c.fence, c.seq
  from {rows:log_chunk} as b
  join rota.log_chunk as c
    on c.run_id = b.run_id
   and c.fence = b.fence
   and c.seq = b.seq

-- name: read_logs
-- Chunks after those seen of each claim: the last words of a lost one may come after the next's.
select run_id, job, attempt, fence, seq, first_at, marks, body
  from rota.log_chunk as c
 where {sql:of_run}
   and namespace = :namespace
   and not exists (
        select 1
          from {rows:seen} as s
         where s.fence = c.fence
           and s.seq >= c.seq
       )
 order by fence, seq
 limit :limit
