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
        select queue,
               count(case when state = 'queued' then 1 end) as queued,
               count(case when state = 'running' then 1 end) as running,
               count(case when state = 'scheduled' then 1 end) as scheduled,
               {now} - min(case when state = 'queued' then ready_at end) as oldest_ms
          from rota.run
         where namespace = :namespace
         group by queue
       ) as d
    on d.queue = n.name
 order by n.name
