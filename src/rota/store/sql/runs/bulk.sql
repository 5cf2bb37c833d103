-- name: match_live
-- The newest first, as people see them.
select id
  from rota.run
 where namespace = :namespace
   and {columns:asked_live}
 order by id desc
 limit :limit

-- name: match_ended
-- Runs of nodes are run again by their graphs.
select id
  from rota.run_history
 where namespace = :namespace
   and parent_id is null
   and {columns:asked_for}
   and {columns:asked_when}
 order by id desc
 limit :limit

-- name: lock_runs
-- In order, so that two commands that stop the same runs wait for each other.
select id, state, fence, queue, worker_id, schedule_id, parent_id, node, item, cancel_requested
  from rota.run as run
 where id {ids:ids}
   and namespace = :namespace
 order by id
 {sql:lock}

-- name: find_ended_runs
select {columns:kept}, state, failures, crashes, fence, false as cancel_requested, error,
       finished_at, result, reason
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
