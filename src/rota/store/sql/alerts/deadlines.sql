-- name: jobs_with_deadlines
-- Jobs whose current version, or one of whose schedules, has a deadline.
select v.name
  from rota.job_version as v
 cross join rota.job as j
 where v.namespace = :namespace
   and v.deadline is not null
   and j.namespace = v.namespace
   and j.name = v.name
   and j.version = v.version
   and j.removed_at is null
 union
select s.job as name
  from rota.schedule as s
 where s.namespace = :namespace
   and s.deadline is not null
 order by name
 limit :limit

-- name: live_runs_of_jobs
-- Runs of these jobs that have begun, or wait for a time or for other runs; `most` of each.
select {columns:live}
  from (
        select run.*
          from rota.run as run
         where run.{from:heartbeat}
           and run.worker_id is not null
           and run.namespace || '' = :namespace
           and run.job in ({each:names})
         union all
        select begun.*
          from (
                select run.*
                  from rota.run as run
                 where run.state = 'suspended'
                   and run.namespace = :namespace
                   and run.job {sql:among} {each:names} {sql:end_among}
                 limit :most
               ) as begun
         union all
        select timed.*
          from (
                select run.*
                  from rota.run as run
                 where run.state in ('scheduled', '')
                   and run.namespace = :namespace
                   and run.queue {sql:among} {each:queues} {sql:end_among}
                   and run.job in ({each:names})
                 limit :most
               ) as timed
         union all
        select parked.*
          from (
                select run.*
                  from rota.run as run
                 where run.state in ('pending', 'suspended')
                   and run.attempt >= 0
                   and run.namespace = :namespace
                 order by run.id
                 limit :most
               ) as parked
         where parked.state = 'pending'
           and parked.job in ({each:names})
       ) as run

-- name: next_runs_of_jobs
-- Runs of these jobs among those that are next in a queue.
select {columns:live}
  from (
        select ahead.*
          from rota.run as ahead
         where ahead.namespace = :namespace
           and ahead.{from:claim}
           and ahead.queue = :queue
         order by ahead.rank, ahead.id
         limit :most
       ) as run
 where run.job in ({each:names})

-- name: overdue_schedules_of_jobs
-- Schedules of these jobs that are due and have not fired, with the current deadline of the job.
-- Few schedules are due, and a job may have very many.
with due as materialized (
    select s.name, s.job, s.spec, s.next_at, s.deadline
      from rota.schedule as s
     where s.look_at <= {now}
       and s.next_at <= {now}
       and s.namespace || '' = :namespace
       and s.state = 'active'
       and s.job || '' in ({each:names})
     limit :most
)
select due.name, due.job, due.spec, due.next_at, due.deadline, v.deadline as job_deadline
  from due
  join rota.job as j
    on j.namespace = :namespace
   and j.name = due.job
  join rota.job_version as v
    on v.namespace = j.namespace
   and v.name = j.name
   and v.version = j.version
