-- name: lock_quota
-- The next claim in a namespace with such a quota waits here, so that none overshoots it.
select max_running
  from rota.namespace as ns
 where name = :name
 {lock:ns}

-- name: count_running
select count(*) as runs
  from rota.run
 where namespace = :namespace
   and state = 'running'
