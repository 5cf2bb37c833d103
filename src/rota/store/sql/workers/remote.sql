-- name: find_remote_worker
select id, token_id, attempt_key, queues, jobs, slots, is_draining, drain_asked, stalled_at,
       {now} as now
  from rota.worker
 where id = :id
   and namespace = :namespace
   and token_id = :token_id

-- name: held_leases
-- Facts about runs whose attempts are reported as ended: from here, not from the reporter.
select run.id, run.fence, run.attempt, run.job, run.version, run.queue, run.args, run.policy,
       run.failures, run.crashes, run.due_at, run.started_at, run.origin, run.parent_id, run.node,
       run.item, run.at_most_once, run.cancel_requested
  from {rows:held} as h
  join rota.run as run
    on run.id = h.run_id
   and run.fence = h.fence
   and run.worker_id = :worker_id
   and run.{from:heartbeat}
 where run.namespace = :namespace

-- name: logged_chars
-- Characters stored of these attempts already: a worker may write a limited number for each.
select l.run_id, l.fence, sum(length(l.body)) as chars
  from {rows:held} as h
  join rota.log_chunk as l
    on l.run_id = h.run_id
   and l.fence = h.fence
 where l.namespace = :namespace
   and l.last_id is null
 group by l.run_id, l.fence

-- name: worker_news
-- Whether a run of it is to stop, or the worker is to take nothing new, or to work again.
select exists (
        select 1
          from rota.run as run
         where worker_id = w.id
           and {from:heartbeat}
           and (cancel_requested or {columns:recalled})
       )
       or w.drain_asked <> w.is_draining as is_there
  from rota.worker as w
 where w.id = :id
