-- name: register_worker
-- An id that is taken, even in a namespace that is not visible here, keeps its owner.
insert into rota.worker (
    id, namespace, name, host, pid, queues, jobs, slots, version, presence, token_id, attempt_key,
    started_at, seen_at, lease_until
)
values (
    :id, :namespace, :name, :host, :pid, :queues, :jobs, :slots, :version, :presence, :token_id,
    :attempt_key, {now}, {now}, {now} + :lease_ms
)
on conflict (id) do nothing

-- name: extend_lease
-- One row per worker process: a thousand runs must not mean a thousand heartbeats.
update rota.worker
   set lease_until = {now} + :lease_ms,
       seen_at = {now},
       running = :running,
       left_behind = :left_behind,
       is_draining = :is_draining,
       presence = :presence,
       missing_since = null
 where id = :id
returning drain_asked

-- name: held_changes
-- Of the leases a worker believes it holds: lost ones, those to be cancelled, and those that it
-- holds ready although their queue or their job was stopped since.
select c.run_id, c.is_lost, c.cancel_requested, c.is_recalled
  from (
        select h.run_id, run.id is null as is_lost,
               coalesce(run.cancel_requested, false) as cancel_requested,
               coalesce({columns:recalled}, false) as is_recalled
          from {rows:held} as h
          left join rota.run as run
            on run.id = h.run_id
           and run.fence = h.fence
           and run.{from:heartbeat}
       ) as c
 where c.is_lost
    or c.cancel_requested
    or c.is_recalled

-- name: stray_runs
-- Runs that a worker was given and does not know: the answer to its claim was lost. Only claims
-- older than a lease, so that a claim whose answer is on its way does not count.
select id as run_id, fence, parent_id, node, item
  from rota.run
 where {from:heartbeat}
   and worker_id = :id
   and started_at < {now} - :lease_ms
   and id not in (select h.run_id from {rows:held} as h)

-- name: retire_worker
delete from rota.worker
 where id = :id

-- name: list_workers
select id, namespace, name, host, pid, queues, jobs, slots, running, left_behind, is_draining,
       drain_asked, stalled_at, stalled_why, version, started_at, seen_at, lease_until,
       lease_until > {now} as is_alive,
       {now} as now
  from rota.worker
 where namespace = :namespace
 order by started_at, id

-- name: orphaned_runs
-- Running runs whose worker's lease ran out or whose worker is gone. Locked runs are being
-- finished right now and are left alone. After a gap in reaping nobody could renew a lease,
-- perhaps because the database was away: each worker gets one whole lease to come back.
select id, namespace, fence, queue, job, crashes, at_most_once, worker_id, started_at, rank, schedule_id,
       parent_id, node, item, {columns:held} as is_held,
       (select w.slots from rota.worker as w where w.id = run.worker_id) as slots,
       (select w.name || ' on ' || w.host from rota.worker as w where w.id = run.worker_id) as worker
  from rota.run as run
 where {from:reap}
   and worker_id not in (
        select w.id
          from rota.worker as w
         where w.lease_until > {now}
            or exists (
                select 1
                  from rota.chore as c
                 where c.name = 'reap'
                   and c.resumed_at + (w.lease_until - w.seen_at) > {now}
               )
       )
 order by id
 limit :limit
 {sql:skip_locked}

-- name: runs_of_worker
select id, namespace, fence, queue, job, version, crashes, at_most_once, worker_id, started_at, rank, schedule_id,
       parent_id, node, item, {columns:held} as is_held,
       (select w.slots from rota.worker as w where w.id = run.worker_id) as slots,
       (select w.name || ' on ' || w.host from rota.worker as w where w.id = run.worker_id) as worker
  from rota.run as run
 where {from:reap}
   and worker_id = :worker_id
 order by id
 limit :limit
 {sql:skip_locked}

-- name: bury_workers
-- A worker whose row is locked is sending a heartbeat at last.
delete from rota.worker
 where id in (
        select id
          from rota.worker as w
         where lease_until <= {now}
           and not exists (
                select 1
                  from rota.run as run
                 where run.worker_id = w.id
                   and run.{from:reap}
               )
           and not exists (
                select 1
                  from rota.chore as c
                 where c.name = 'reap'
                   and c.resumed_at + (w.lease_until - w.seen_at) > {now}
               )
         {sql:skip_locked}
       )

-- name: take_chore
-- True for one process per interval; the others skip the work. After more than :gap_ms without it,
-- the record begins again now.
insert into rota.chore as c (name, next_at, done_at)
values (:name, {now} + :interval_ms, {now})
on conflict (name) do update
   set next_at = excluded.next_at,
       done_at = excluded.done_at,
       resumed_at = case when c.done_at < excluded.done_at - cast(:gap_ms as bigint)
                         then excluded.done_at
                         else c.resumed_at end
 where c.next_at <= {now}

-- name: chore_wait
select next_at - {now} as wait_ms
  from rota.chore
 where name = :name

-- name: ask_drain
update rota.worker
   set drain_asked = :drain_asked
 where id = :id
   and namespace = :namespace
   and drain_asked <> :drain_asked

-- name: note_stall
update rota.worker
   set stalled_at = case when cast(:why as text) is null then null else {now} end,
       stalled_why = :why
 where id = :id

-- name: update_worker_scope
update rota.worker
   set queues = :queues,
       jobs = :jobs
 where id = :id

-- name: lost_lately
-- The last attempts that ended with the death of their worker, by worker. All rows of one worker
-- agree; its registration is gone by now.
select count(*) as runs, max(a.ended_at) as last_at, max(a.error) as error
  from (
        select run_id, worker_id, kind, ended_at, error
          from rota.attempt
         where ended_at >= :since
         order by ended_at desc
         limit :most
       ) as a
 where a.kind = 'lost'
   and (exists (
            select 1
              from rota.run as r
             where r.id = a.run_id
               and r.namespace = :namespace
           )
        or exists (
            select 1
              from rota.run_history as h
             where h.id = a.run_id
               and h.namespace = :namespace
           ))
 group by a.worker_id
 order by max(a.ended_at) desc
