-- name: insert_event
-- Nothing happens when it, or one with its key, is there already.
insert into rota.event (id, namespace, name, key, payload, sent_by, sent_at)
values (:id, :namespace, :name, :key, :payload, :sent_by, {now})
on conflict do nothing

-- name: find_event
select id, payload, sent_at
  from rota.event
 where namespace = :namespace
   and name = :name
   and (id = :id or key = :key)

-- name: take_listeners
-- Locked in the order of their ids, like in every transaction that ends runs of them.
select {columns:schedule}, {columns:its_job}, {now} as now
  from rota.schedule as s
 where s.namespace = :namespace
   and s.event = :event
   and s.state in ('active', 'paused')
 order by s.id
 {lock:s}

-- name: hear_event
update rota.schedule
   set fired = fired + :fired,
       skipped = skipped + :skipped,
       missed = missed + :missed,
       last_at = coalesce(:last_at, last_at),
       state = :state,
       note = coalesce(:note, note)
 where id = :id

-- name: event_firings
-- The runs that an event has started, for a sender that repeats it.
select s.name as schedule, f.run_id, f.decision
  from rota.firing as f
  join rota.schedule as s
    on s.id = f.schedule_id
 where s.namespace = :namespace
   and s.event = :event
   and f.instant between :sent_at and :sent_at + 60000
   and f.kind = 'event'
   and f.request = :request
 order by s.name

-- name: prune_events
delete from rota.event
 where id in (
        select id
          from rota.event
         where sent_at < {now} - :keep_ms
         limit :limit
       )
