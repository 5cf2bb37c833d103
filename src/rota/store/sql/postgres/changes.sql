-- name: change_mark
-- Transactions below `oldest` have ended; those from `next` on have not begun to write.
select {now} as now,
       cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint) as oldest,
       cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint) as next

-- name: ended_since
-- Here and below: only rows of transactions that had not ended when :oldest was the oldest open one.
select id, finished_at as at
  from rota.run_history
 where finished_at >= :since
   and age(xmin) <= age(cast(cast(:oldest as text) as xid))
 order by finished_at desc
 limit :limit

-- name: attempts_since
select run_id as id, fence, ended_at as at
  from rota.attempt
 where ended_at >= :since
   and age(xmin) <= age(cast(cast(:oldest as text) as xid))
 order by ended_at desc
 limit :limit

-- name: made_since
select id
  from rota.run
 where id >= :first
   and age(xmin) <= age(cast(cast(:oldest as text) as xid))
 order by id desc
 limit :limit
