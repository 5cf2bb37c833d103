-- name: count_ahead
-- Counted up to a limit: a person wants to know whether it is three or thousands. Of a run in a
-- lane, those of its lane.
select count(*) as runs
  from (
        select 1 as one
          from rota.run as me
          join rota.run as ahead
            on ahead.namespace = me.namespace
           and ahead.queue = me.queue
           and ahead.{from:claim}
           and (ahead.rank, ahead.id) < (me.rank, me.id)
           and {columns:beside_me}
         where me.id = :id
           and me.namespace = :namespace
         limit :limit
       ) as counted

-- name: tally_attempts
select kind, count(*) as attempts
  from rota.attempt
 where run_id = :id
 group by kind

-- name: why_waiting
select s.name, s.blocked_by, s.state, s.note,
       (select count(*)
          from rota.run as r
         where r.schedule_id = s.id
           and r.state <> 'pending') as running
  from rota.schedule as s
 where s.id = :id
