-- name: read_runs
select {columns:live}
  from rota.run
 where id {ids:ids}
   and namespace = :namespace

-- name: read_ended_runs
select {columns:ended}
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
