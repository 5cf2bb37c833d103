-- name: read_runs
select {columns:kept}, state, failures, crashes, fence, cancel_requested, error,
       null as finished_at, null as result, null as reason
  from rota.run
 where id {ids:ids}
   and namespace = :namespace

-- name: read_ended_runs
select {columns:kept}, state, failures, crashes, fence, false as cancel_requested, error,
       finished_at, result, reason
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
