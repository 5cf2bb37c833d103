-- name: pause_queue
insert into rota.queue (namespace, name, is_paused, note, changed_at)
values (:namespace, :name, :is_paused, :note, {now})
on conflict (namespace, name) do update
   set is_paused = excluded.is_paused,
       note = excluded.note,
       changed_at = excluded.changed_at

-- name: list_queues
-- Depth by state of the live runs, and how long the oldest queued one has waited.
select n.name,
       coalesce(q.is_paused, false) as is_paused,
       q.note,
       coalesce(d.queued, 0) as queued,
       coalesce(d.running, 0) as running,
       coalesce(d.scheduled, 0) as scheduled,
       coalesce(d.held, 0) as held,
       d.oldest_ms
  from (
        select name from rota.queue where namespace = :namespace
         union
        select distinct queue from rota.run where namespace = :namespace
       ) as n
  left join rota.queue as q
    on q.namespace = :namespace
   and q.name = n.name
  left join (
        select run.queue,
               count(case when run.state = 'queued' then 1 end) as queued,
               count(case when run.state = 'queued'
                           and o.job is not null
                           and run.id is distinct from o.probe_id then 1 end) as held,
               count(case when run.state = 'running' then 1 end) as running,
               count(case when run.state = 'scheduled' then 1 end) as scheduled,
               {now} - min(case when run.state = 'queued' then run.ready_at end) as oldest_ms
          from rota.run as run
          left join rota.breaker as o
            on o.namespace = run.namespace
           and o.job = run.job
           and o.state <> 'closed'
         where run.namespace = :namespace
         group by run.queue
       ) as d
    on d.queue = n.name
 order by n.name
