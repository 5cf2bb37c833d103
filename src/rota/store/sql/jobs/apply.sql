-- name: bundled_schedules
-- Schedules of some jobs, and schedules with some names: an apply must know who has a name.
select name, job, spec, origin, state
  from rota.schedule
 where namespace = :namespace
   and (job {sql:among} {each:jobs} {sql:end_among} or name {sql:among} {each:names} {sql:end_among})
 order by name

-- name: adopt_schedule
update rota.schedule
   set origin = 'file',
       app = null
 where namespace = :namespace
   and name = :name
