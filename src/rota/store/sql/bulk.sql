-- name: match_live
-- The newest first, as people see them.
select id
  from rota.run
 where namespace = :namespace
   and (cast(:state as text) is null or state = :state)
   and (cast(:job as text) is null or job = :job)
   and (cast(:queue as text) is null or queue = :queue)
   and (cast(:queues as text) is null or queue in ({each:queues}))
   and (cast(:schedule as text) is null or schedule_id in (
            select s.id from rota.schedule as s
             where s.namespace = :namespace and s.name = :schedule))
   and (cast(:since as bigint) is null or created_at >= :since)
   and (cast(:until as bigint) is null or created_at < :until)
 order by id desc
 limit :limit

-- name: match_ended
-- Runs of nodes are run again by their graphs.
select id
  from rota.run_history
 where namespace = :namespace
   and parent_id is null
   and (cast(:state as text) is null or state = :state)
   and (cast(:job as text) is null or job = :job)
   and (cast(:queue as text) is null or queue = :queue)
   and (cast(:queues as text) is null or queue in ({each:queues}))
   and (cast(:schedule as text) is null or schedule_id in (
            select s.id from rota.schedule as s
             where s.namespace = :namespace and s.name = :schedule))
   and (cast(:since as bigint) is null or created_at >= :since)
   and (cast(:until as bigint) is null or created_at < :until)
 order by id desc
 limit :limit

-- name: lock_runs
-- In order, so that two who stop the same runs wait for each other.
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
