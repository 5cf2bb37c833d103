-- name: change_mark
-- One writer at a time: a row that is not there yet will be written later.
select {now} as now, 0 as oldest, 0 as next

-- name: ended_since
select id, finished_at as at
  from rota.run_history
 where finished_at >= :since
 order by finished_at desc
 limit :limit

-- name: attempts_since
select run_id as id, fence, ended_at as at
  from rota.attempt
 where ended_at >= :since
 order by ended_at desc
 limit :limit

-- name: made_since
-- Ids begin with the time at which their client made them.
select id
  from rota.run
 where id >= :first
 order by id desc
 limit :limit
