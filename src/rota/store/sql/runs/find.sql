-- name: find_run
select {columns:live}
  from rota.run
 where id = :id
   and namespace = :namespace

-- name: find_ended_run
select {columns:ended}
  from rota.run_history
 where id = :id
   and namespace = :namespace

-- name: find_endings
-- The runs among these that have ended.
select id, state, result, error, reason
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace

-- name: lock_run
select id, job, state, fence, queue, worker_id, schedule_id, parent_id, node, item
  from rota.run as run
 where id = :id
   and namespace = :namespace
 {sql:lock}

-- name: request_cancel
-- A running run is stopped at its worker's next heartbeat.
update rota.run
   set cancel_requested = true,
       cancel_reason = :reason
 where id = :id
   and fence = :fence
   and {from:heartbeat}

-- name: list_attempts
select number, fence, kind, worker_id, started_at, ended_at, error
  from rota.attempt
 where run_id = :id
 order by fence

-- name: count_live
select {columns:seen} as state, count(*) as runs
  from rota.run
 where namespace = :namespace
 group by {columns:seen}

-- name: count_ended
select state, count(*) as runs
  from rota.run_history
 where namespace = :namespace
   and finished_at >= :since
 group by state

-- name: find_expired
select id, namespace, fence, schedule_id, parent_id, node, item
  from rota.run
 where {from:expire}
   and expires_at <= {now}
 order by expires_at
 limit :limit
 {sql:skip_locked}

-- name: now
select {now} as now
