-- name: recent_runs
-- The last runs of each of these jobs that have ended, the newest first.
select h.job, h.id, h.state, h.started_at, h.finished_at
  from ({each:names}) as n(name)
 cross join lateral (
        select r.job, r.id, r.state, r.started_at, r.finished_at
          from rota.run_history as r
         where r.namespace = :namespace
           and r.job = n.name
         order by r.id desc
         limit :limit
       ) as h
 order by h.job, h.id desc

-- name: live_by_job
-- What runs is bounded by the slots of all workers; what waits is counted up to a limit.
select l.job, l.state, count(*) as runs
  from (
        select job, state
          from rota.run
         where namespace = :namespace
           and state = 'running'
         union all
        select q.job, q.state
          from (
                select job, state
                  from rota.run
                 where namespace = :namespace
                   and state = 'queued'
                 limit :most
               ) as q
       ) as l
 where l.job in ({each:names})
 group by l.job, l.state

-- name: schedules_by_job
select job, count(*) as schedules, min(case when state = 'active' then next_at end) as next_at
  from rota.schedule
 where namespace = :namespace
   and job in ({each:names})
 group by job
