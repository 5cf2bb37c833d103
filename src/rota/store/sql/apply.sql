-- name: bundled_schedules
-- Those of some jobs, and those that have some names: whoever wants a name must know who has it.
select name, job, spec, origin, state
  from rota.schedule
 where namespace = :namespace
   and (job in ({each:jobs}) or name in ({each:names}))
 order by name

-- name: adopt_schedule
update rota.schedule
   set origin = 'file'
 where namespace = :namespace
   and name = :name
