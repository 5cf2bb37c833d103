-- name: pause_queue
insert into rota.queue as queue (namespace, name, is_paused, note, changed_at)
values (:namespace, :name, true, :note, {now})
on conflict (namespace, name) do update
   set is_paused = excluded.is_paused,
       note = excluded.note,
       changed_at = excluded.changed_at
 where not queue.is_paused
    or queue.note is distinct from excluded.note

-- name: resume_queue
update rota.queue
   set is_paused = false,
       note = null,
       changed_at = {now}
 where namespace = :namespace
   and name = :name
   and is_paused

-- name: paused_queues
select name, note, changed_at
  from rota.queue
 where namespace = :namespace
   and is_paused

-- name: list_queues
select name, is_paused, note, changed_at
  from rota.queue
 where namespace = :namespace

-- name: queue_names
-- Queues with runs that wait: from one to the next in their indexes, however many runs are between.
with recursive
ready (name) as (
    select min(queue)
      from rota.run
     where namespace = :namespace
       and {from:claim}
     union all
    select (select min(queue)
              from rota.run
             where namespace = :namespace
               and {from:claim}
               and queue > ready.name)
      from ready
     where ready.name is not null
),
waiting (name) as (
    select min(queue)
      from rota.run
     where namespace = :namespace
       and state in ('scheduled', '')
     union all
    select (select min(queue)
              from rota.run
             where namespace = :namespace
               and state in ('scheduled', '')
               and queue > waiting.name)
      from waiting
     where waiting.name is not null
)
select name from ready where name is not null
 union
select name from waiting where name is not null

-- name: queue_depths
-- Counted up to :most; the longest wait among the next runs.
select n.name,
       {columns:queued_there},
       {columns:scheduled_there},
       {columns:oldest_there}
  from {rows:name} as n

-- name: ready_depths
-- Like queue_depths, without runs that wait for their time.
select n.name,
       {columns:queued_there},
       {columns:oldest_there}
  from {rows:name} as n

-- name: few_waiting
-- How many runs of a queue wait, counted no further than it matters.
select n.name,
       {columns:queued_there},
       {columns:scheduled_there}
  from {rows:name} as n

-- name: few_parked
select count(*) as runs
  from (
        select 1 as one
          from rota.run
         where state in ('pending', 'suspended')
           and attempt >= 0
           and namespace = :namespace
         limit :most
       ) as few

-- name: few_scheduled_of_job
select n.name,
       (select count(*)
          from (select 1 as one
                  from rota.run
                 where namespace = :namespace
                   and state in ('scheduled', '')
                   and queue = n.name
                   and job = :job
                 limit :most) as c) as scheduled
  from {rows:name} as n

-- name: claimed_runs
-- The runs of each worker, and how many of them are not known to have begun.
select run.worker_id, w.slots, run.queue, run.job, count(*) as runs,
       sum(case when {columns:held} then 1 else 0 end) as held
  from rota.run as run
  left join rota.worker as w
    on w.id = run.worker_id
 where run.namespace || '' = :namespace
   and run.{from:heartbeat}
   and run.worker_id is not null
 group by run.worker_id, w.slots, run.queue, run.job
 order by run.worker_id, run.queue, run.job

-- name: held_by_queue
-- The runs among the next ones that a breaker holds back.
select n.name,
       (select count(*)
          from (select id, job
                  from rota.run
                 where namespace = :namespace
                   and {from:claim}
                   and queue = n.name
                 order by rank, id
                 limit :ahead) as c
          join rota.breaker as o
            on o.namespace = :namespace
           and o.job = c.job
           and o.state <> 'closed'
           and c.id is distinct from o.probe_id) as held
  from {rows:name} as n
 where exists (
        select 1
          from rota.breaker as o
         where o.namespace = :namespace
           and o.state <> 'closed'
       )
