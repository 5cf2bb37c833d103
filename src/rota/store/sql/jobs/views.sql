-- name: recent_runs
-- The last runs of each of these jobs that have ended, the newest first. A range of one job, as in
-- `list_ended_of_job`.
select h.job, h.id, h.state, h.started_at, h.finished_at
  from ({each:names}) as n(name)
 cross join lateral (
        select r.job, r.id, r.state, r.started_at, r.finished_at
          from rota.run_history as r
         where r.namespace = :namespace
           and r.job >= n.name
           and r.job <= n.name
         order by r.job desc, r.id desc
         limit :limit
       ) as h
 order by h.job, h.id desc

-- name: next_by_job
-- The next runs of a queue.
select job, count(*) as runs
  from (
        select job
          from rota.run
         where namespace = :namespace
           and {from:claim}
           and queue = :queue
         order by rank, id
         limit :ahead
       ) as ahead
 group by job

-- name: schedules_by_job
select job, count(*) as schedules, min(case when state = 'active' then next_at end) as next_at
  from rota.schedule
 where namespace = :namespace
   and job in ({each:names})
 group by job
