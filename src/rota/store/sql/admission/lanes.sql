-- name: lanes_in_use
-- Jumps from lane to lane: reads one run of each, however many wait there.
with recursive used (queue, lane) as (
    select n.name, (
            select run.rank / :span
              from rota.run as run
             where run.{from:claim}
               and run.namespace = :namespace
               and run.queue = n.name
               and run.rank >= :span
             order by run.rank
             limit 1
           )
      from {rows:name} as n
     union all
    select u.queue, (
            select run.rank / :span
              from rota.run as run
             where run.{from:claim}
               and run.namespace = :namespace
               and run.queue = u.queue
               and run.rank >= (u.lane + 1) * :span
             order by run.rank
             limit 1
           )
      from used as u
     where u.lane is not null
)
select queue, lane
  from used
 where lane is not null

-- name: queues_served
select distinct namespace, queues
  from rota.worker
 where lease_until > {now}

-- name: jobs_in_front
-- The jobs of the runs that claims of a queue read first.
select job, count(*) as runs
  from (
        select job
          from rota.run
         where namespace = :namespace
           and {from:claim}
           and queue = :queue
           and {columns:in_front}
         order by rank, id
         limit :limit
       ) as ahead
 group by job

-- name: move_to_lane
-- Waits for nobody: a run that is being claimed or cancelled is left where it is.
update rota.run
   set rank = rank + cast(:shift as bigint)
 where id {sql:among}
        select id
          from rota.run
         where id {sql:among}
                select ahead.id
                  from (
                        select id, job
                          from rota.run
                         where namespace = :namespace
                           and {from:claim}
                           and queue = :queue
                           and {columns:in_front}
                         order by rank, id
                         limit :limit
                       ) as ahead
                 where ahead.job = :job
               {sql:end_among}
         {sql:skip_locked}
       {sql:end_among}
   and {from:claim}
   and {columns:in_front}

-- name: able_workers
select id, queues, jobs
  from rota.worker
 where namespace = :namespace
   and lease_until > {now}
   and not is_draining
   and not drain_asked
   and jobs is not null

-- name: find_misfits
-- Runs that their worker still holds, with facts to find other workers that could carry them out.
select run.id, run.job, run.version, run.queue, run.worker_id
  from {rows:verdict} as v
  join rota.run as run
    on run.id = v.run_id
   and run.fence = v.fence
 where run.namespace = :namespace
   and run.{from:abort}
 order by run.id
 {sql:lock}

-- name: set_lane
-- Runs that are about to go back into their queue wait in this lane then.
update rota.run
   set rank = case when rank < cast(:span as bigint) then rank else rank % cast(:span as bigint) end
            + cast(:shift as bigint)
 where id {ids:ids}

-- name: head_of_lane
select job, version
  from rota.run
 where {from:claim}
   and namespace = :namespace
   and queue = :queue
   and rank >= :start
   and rank < :end
 order by rank, id
 limit 1

-- name: place_of_run
select job, version, rank
  from rota.run
 where id = :id
