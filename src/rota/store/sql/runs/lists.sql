-- Pages of runs, the newest first. A list in the order of ids has a floor: the id a given number of
-- rows further, below which one page does not look (engine.runs.lists). Some places have `|| ''` to
-- keep an index from being chosen whose rows would have to be sorted, or passed over.

-- name: list_runs
select {columns:live}
  from rota.run
 where namespace = :namespace
   and {columns:asked_live}
   and {columns:further}
 order by id desc
 limit :limit

-- name: floor_of_runs
-- In any namespace: the key alone decides.
select id
  from rota.run
 where {columns:further}
 order by id desc
 limit 1
offset :far

-- name: list_running
-- A few among many that wait: found by their workers.
select {columns:live}
  from rota.run
 where {from:heartbeat}
   and worker_id is not null
   and namespace || '' = :namespace
   and {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_parked
select {columns:live}
  from rota.run
 where state in ('pending', 'suspended')
   and attempt >= 0
   and namespace = :namespace
   and {columns:asked_live}
   and {columns:further}
 order by id desc
 limit :limit

-- name: floor_of_parked
select id
  from rota.run
 where state in ('pending', 'suspended')
   and attempt >= 0
   and namespace = :namespace
   and {columns:further}
 order by id desc
 limit 1
offset :far

-- name: list_troubled
-- Runs whose last attempt failed.
select {columns:live}
  from rota.run
 where error is not null
   and namespace = :namespace
   and {columns:asked_live}
   and {columns:further}
 order by id desc
 limit :limit

-- name: floor_of_troubled
select id
  from rota.run
 where error is not null
   and namespace = :namespace
   and {columns:further}
 order by id desc
 limit 1
offset :far

-- name: list_fired
select {columns:live}
  from rota.run
 where schedule_id = (
        select s.id from rota.schedule as s where s.namespace = :namespace and s.name = :schedule
       )
   and namespace || '' = :namespace
   and {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_children
select {columns:live}
  from rota.run
 where parent_id = cast(:parent as {type:uuid})
   and namespace || '' = :namespace
   and {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_queued
-- Few in all, in these queues; with runs that workers hold ready.
select {columns:live}
  from (
        {columns:ready_in_queues}
         union all
        {columns:held_ready}
       ) as run
 where {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_scheduled
select {columns:live}
  from rota.run as run
 where run.state in ('scheduled', '')
   and run.namespace = :namespace
   and run.queue {sql:among} {each:names} {sql:end_among}
   and {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_scheduled_of_job
select {columns:live}
  from rota.run as run
 where run.state in ('scheduled', '')
   and run.namespace = :namespace
   and run.queue {sql:among} {each:names} {sql:end_among}
   and run.job = :job
   and {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_few
-- Live runs of all states, in one look: they go from one to the other.
select {columns:live}
  from (
        {columns:ready_in_queues}
         union all
        select run.*
          from rota.run as run
         where run.state in ('scheduled', '')
           and run.namespace = :namespace
           and run.queue {sql:among} {each:names} {sql:end_among}
         union all
        {columns:running_and_parked}
       ) as run
 where {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_few_of_job
select {columns:live}
  from (
        {columns:ready_in_queues}
         union all
        select run.*
          from rota.run as run
         where run.state in ('scheduled', '')
           and run.namespace = :namespace
           and run.queue {sql:among} {each:names} {sql:end_among}
           and run.job = :job
         union all
        {columns:running_and_parked}
       ) as run
 where {columns:asked_live}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: list_ended_runs
-- In the order of ids, which only the key has.
select {columns:ended}
  from rota.run_history
 where namespace || '' = :namespace
   and {columns:asked}
   and {columns:not_before}
   and {columns:further}
 order by id desc
 limit :limit

-- name: floor_of_ended
select id
  from rota.run_history
 where {columns:further}
 order by id desc
 limit 1
offset :far

-- name: list_few_ended
select {columns:ended}
  from rota.run_history
 where namespace = :namespace
   and job >= ''
   and {columns:asked}
   and {columns:not_before}
   and {columns:beyond}
 order by id || '' desc
 limit :limit

-- name: count_few_ended
-- Whether a namespace has few runs, so that they can be sorted.
select count(*) as runs
  from (select 1 as one from rota.run_history where namespace = :namespace limit :most) as few

-- name: list_ended_of_job
-- Runs above the floor, sorted: only that index knows the runs of one job. In the order of ids
-- PostgreSQL would walk by those alone and pass over the runs of all other jobs; by pairs of job
-- and id it also reads all runs of the job below the floor (70 ms beside a million).
select {columns:ended}
  from rota.run_history
 where namespace = :namespace
   and job = :job
   and {columns:asked}
   and {columns:not_before}
   and {columns:further}
 order by id || '' desc
 limit :limit

-- name: floor_of_job
select id
  from rota.run_history
 where namespace = :namespace
   and {columns:further_of_job}
 order by job desc, id desc
 limit 1
offset :far

-- name: list_bad_endings
-- A few among many successes; written like SQLite's index of them.
select {columns:ended}
  from rota.run_history
 where state in ('failed', 'cancelled', 'skipped')
   and namespace = :namespace
   and {columns:asked}
   and {columns:not_before}
   and {columns:further}
 order by id desc
 limit :limit

-- name: floor_of_bad
select id
  from rota.run_history
 where state in ('failed', 'cancelled', 'skipped')
   and namespace = :namespace
   and {columns:further}
 order by id desc
 limit 1
offset :far

-- name: list_ended_of_schedule
select {columns:ended}
  from rota.run_history
 where schedule_id = (
        select s.id from rota.schedule as s where s.namespace = :namespace and s.name = :schedule
       )
   and namespace || '' = :namespace
   and {columns:asked}
   and {columns:not_before}
   and {columns:further}
 order by id desc
 limit :limit

-- name: list_ended_children
select {columns:ended}
  from rota.run_history
 where parent_id = cast(:parent as {type:uuid})
   and namespace || '' = :namespace
   and {columns:asked}
   and {columns:not_before}
   and {columns:beyond}
 order by id || '' desc
 limit :limit
