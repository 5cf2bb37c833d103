-- name: insert_runs
-- A repeated id of a live run is the same run: nothing happens. A repeated submit looks for ended
-- runs elsewhere (engine.runs.submit): looking here cost six index probes a row, 20 us of 28. The
-- limit keeps PostgreSQL from computing the time anew in each place: 9 us a row became 7. The rank
-- is where ageing lives (rules.admission.order).
insert into rota.run ({columns:submitted})
select n.id, :namespace, n.job, n.version, coalesce(n.queue, 'default'), coalesce(n.priority, 0),
       case when n.due > n.now then 'scheduled' else 'queued' end,
       case when n.due > n.now then null
            else {rank:n.now, coalesce(n.priority, 0)} end,
       coalesce(n.args, '{}'), {columns:brought}, n.now, n.due, n.due, n.due + n.expires_ms
  from (
        select b.*, t.now, {sql:greatest}(t.now, coalesce(b.due_at, t.now + b.delay_ms, t.now)) as due
          from {rows:new_run} as b
         cross join (select {now} as now limit 1) as t
       ) as n
 where true
on conflict (id) do nothing

-- name: insert_fired
-- Like insert_runs, for runs of schedules; some wait until others of their schedule have ended.
insert into rota.run ({columns:submitted}, schedule_id, backfill_id, origin)
select n.id, :namespace, n.job, n.version, coalesce(n.queue, 'default'), coalesce(n.priority, 0),
       case when n.waits then 'pending' when n.due > n.now then 'scheduled' else 'queued' end,
       case when n.waits or n.due > n.now then null
            else {rank:n.now, coalesce(n.priority, 0)} end,
       coalesce(n.args, '{}'), {columns:brought}, n.now, n.due, n.due, n.due + n.expires_ms,
       n.schedule_id, n.backfill_id, n.origin
  from (
        select b.*, t.now, {sql:greatest}(t.now, coalesce(b.due_at, t.now + b.delay_ms, t.now)) as due
          from {rows:fired_run} as b
         cross join (select {now} as now limit 1) as t
       ) as n
 where true
on conflict (id) do nothing

-- name: take_back_ended
delete from rota.run as run
 where id {ids:ids}
   and namespace = :namespace
   and exists (
        select 1
          from rota.run_history as h
         where h.id = run.id
       )

-- name: take_keys
-- A key whose window has passed is free again. Returns the keys that are ours now.
insert into rota.run_key as run_key (namespace, job, key, run_id, digest, expires_at)
select :namespace, b.job, b.key, b.id, b.digest, {now} + b.key_window_ms
  from {rows:run_key} as b
 where true
on conflict (namespace, job, key) do update
   set run_id = excluded.run_id,
       digest = excluded.digest,
       expires_at = excluded.expires_at
 where run_key.expires_at <= {now}
returning job, key

-- name: find_keys
select k.job, k.key, k.run_id, k.digest
  from {rows:run_key} as b
  join rota.run_key as k
    on k.namespace = :namespace
   and k.job = b.job
   and k.key = b.key

-- name: promote_runs
-- Bounded, oldest first; other schedulers skip locked rows.
with picked as materialized (
    select id
      from rota.run
     where {from:promote}
       and ready_at <= {now}
     order by ready_at
     limit :limit
     {sql:skip_locked}
)
update rota.run
   set state = {to:promote},
       rank = {rank:ready_at, priority}
 where id {sql:among} select id from picked {sql:end_among}
returning id, namespace, queue

-- name: due_runs
-- Runs that promote_runs may have meant, when it raised because of one of them.
select id, namespace, fence, schedule_id, parent_id, node, item
  from rota.run
 where {from:promote}
   and ready_at <= {now}
 order by ready_at
 limit :limit
 {sql:skip_locked}

-- name: try_promote
update rota.run
   set state = {to:promote},
       rank = {rank:ready_at, priority}
 where id = :id
   and {from:promote}

-- name: next_due
select min(ready_at) - {now} as wait_ms
  from rota.run
 where {from:promote}
