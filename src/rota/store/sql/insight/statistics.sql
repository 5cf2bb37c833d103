-- name: counted_until
select c.until, {now} as now,
       (select s.until
          from rota.counted as s
          join rota.counted as u
            on u.name = 'totals_until'
           and u.until = c.until
         where s.name = 'totals_since') as totals_since,
       (select min(h.finished_at) from rota.run_history as h where h.finished_at >= c.until) as next
  from (select max(until) as until from rota.counted where name = 'runs') as c

-- name: begin_counting
insert into rota.counted (name, until)
values ('runs', :until)
on conflict (name) do nothing

-- name: move_totals
update rota.counted
   set until = :until
 where name = 'totals_until'
   and until = :since

-- name: begin_totals
-- Totals begin: counted before by code without totals, or not at all, they are complete from here
-- on.
insert into rota.counted (name, until)
values ('totals_since', :whole_since), ('totals_until', :until)
on conflict (name) do update
   set until = excluded.until

-- name: move_counted
-- A process that counted the same part before has moved it, and then nothing is added.
update rota.counted
   set until = :until
 where name = 'runs'
   and until = :since

-- name: count_endings
select namespace, job, queue, state, finished_at / 60000 * 60000 as at,
       count(*) as runs,
       -- The last attempt of a run that failed was not made again.
       sum(failures + crashes - case when state = {to:fail} and failures + crashes > 0 then 1 else 0 end)
       as retries,
       sum(case when started_at is null then 0 else finished_at - started_at end) as busy_ms,
       sum(case when state = {to:fail} and (error like :address or error like :program) then 1 else 0 end)
       as refused
  from rota.run_history
 where finished_at >= :since
   and finished_at < :until
   and (cast(:namespace as text) is null or namespace = :namespace)
 group by namespace, job, queue, state, finished_at / 60000 * 60000

-- name: count_times
-- Steps of a fifth of e: 22 % each. `lag`: how late the first attempt for a schedule began.
select namespace, job, queue, at, kind, step, count(*) as runs
  from (
        select namespace, job, queue, finished_at / 60000 * 60000 as at, 'duration' as kind,
               cast(floor(5 * ln(cast(1 + {sql:greatest}(0, finished_at - started_at) as {type:real})))
                    as {type:int}) as step
          from rota.run_history
         where finished_at >= :since
           and finished_at < :until
           and started_at is not null
           and (cast(:namespace as text) is null or namespace = :namespace)
         union all
        select namespace, job, queue, finished_at / 60000 * 60000 as at, 'wait' as kind,
               cast(floor(5 * ln(cast(1 + {sql:greatest}(0, started_at - ready_at) as {type:real})))
                    as {type:int}) as step
          from rota.run_history
         where finished_at >= :since
           and finished_at < :until
           and started_at is not null
           and (cast(:namespace as text) is null or namespace = :namespace)
         union all
        select namespace, job, queue, finished_at / 60000 * 60000 as at, 'lag' as kind,
               cast(floor(5 * ln(cast(1 + {sql:greatest}(0, started_at - due_at) as {type:real})))
                    as {type:int}) as step
          from rota.run_history
         where finished_at >= :since
           and finished_at < :until
           and started_at is not null
           and schedule_id is not null
           and failures + crashes = 0
           and (cast(:namespace as text) is null or namespace = :namespace)
       ) as times
 group by namespace, job, queue, at, kind, step

-- name: find_statistics
select s.namespace, s.span_ms, s.at, s.job, s.queue, s.success, s.failed, s.cancelled, s.skipped,
       s.retries, s.busy_ms, s.refused, s.durations, s.waits, s.lags
  from {rows:statistic} as b
  join rota.statistic as s
    on s.namespace = b.namespace
   and s.span_ms = b.span_ms
   and s.at = b.at
   and s.job = b.job
   and s.queue = b.queue

-- name: put_statistics
insert into rota.statistic (
    namespace, span_ms, at, job, queue, success, failed, cancelled, skipped, retries, busy_ms,
    refused, durations, waits, lags
)
select b.namespace, b.span_ms, b.at, b.job, b.queue, b.success, b.failed, b.cancelled, b.skipped,
       b.retries, b.busy_ms, b.refused, b.durations, b.waits, b.lags
  from {rows:statistic} as b
 where true
on conflict (namespace, span_ms, at, job, queue) do update
   set success = excluded.success,
       failed = excluded.failed,
       cancelled = excluded.cancelled,
       skipped = excluded.skipped,
       retries = excluded.retries,
       busy_ms = excluded.busy_ms,
       refused = excluded.refused,
       durations = excluded.durations,
       waits = excluded.waits,
       lags = excluded.lags

-- name: read_statistics
select namespace, span_ms, at, job, queue, success, failed, cancelled, skipped, retries, busy_ms,
       refused, durations, waits, lags
  from rota.statistic
 where namespace = :namespace
   and span_ms = :span_ms
   and at >= :since
   and (cast(:until as {type:bigint}) is null or at < :until)
   and job <> ''
   and (cast(:job as text) is null or job = :job)
   and (cast(:queues as text) is null or queue in ({each:queues}))

-- name: read_totals
-- Totals of all jobs and queues together: the rows without names.
select namespace, span_ms, at, job, queue, success, failed, cancelled, skipped, retries, busy_ms,
       refused, durations, waits, lags
  from rota.statistic
 where namespace = :namespace
   and span_ms = :span_ms
   and at >= :since
   and job = ''
   and queue = ''

-- name: read_ever_of_jobs
-- Since counting began; a span of 0 stands for that.
select namespace, span_ms, at, job, queue, success, failed, cancelled, skipped, retries, busy_ms,
       refused, durations, waits, lags
  from rota.statistic
 where namespace = :namespace
   and span_ms = 0
   and at = 0
   and job > ''
   and (cast(:queues as text) is null or queue in ({each:queues}))
 order by job, queue
 limit :limit

-- name: read_ever_of_queues
select namespace, span_ms, at, job, queue, success, failed, cancelled, skipped, retries, busy_ms,
       refused, durations, waits, lags
  from rota.statistic
 where namespace = :namespace
   and span_ms = 0
   and at = 0
   and job = ''
   and (cast(:queues as text) is null or queue in ({each:queues}))
 order by queue
 limit :limit

-- name: read_means
-- How long the runs of each job took, without the rest.
select job, sum(busy_ms) as busy_ms, sum(success + failed + cancelled + skipped) as ended
  from rota.statistic
 where namespace = :namespace
   and span_ms = :span_ms
   and at >= :since
   and job <> ''
 group by job

-- name: prune_statistics
delete from rota.statistic
 where (namespace, span_ms, at, job, queue) in (
        select namespace, span_ms, at, job, queue
          from rota.statistic
         where span_ms = :span_ms
           and at < {now} - :keep_ms
         limit :limit
       )

-- name: ids_between
select id
  from rota.run
 where namespace = :namespace
   and id between :first and :last
 order by id desc
 limit :limit

-- name: ended_ids_between
select id
  from rota.run_history
 where namespace = :namespace
   and id between :first and :last
 order by id desc
 limit :limit

-- name: ids_ending_in
-- The end of an id is random and has no index: it is looked for among the newest keys.
select run.id
  from (select id from rota.run order by id desc limit :newest) as late
  join rota.run as run on run.id = late.id
 where cast(late.id as text) like :ending
   and run.namespace = :namespace
 order by run.id desc
 limit :limit

-- name: ended_ids_ending_in
select run.id
  from (select id from rota.run_history order by id desc limit :newest) as late
  join rota.run_history as run on run.id = late.id
 where cast(late.id as text) like :ending
   and run.namespace = :namespace
 order by run.id desc
 limit :limit

-- name: runs_of_key
select run_id as id
  from rota.run_key
 where namespace = :namespace
   and job in ({each:jobs})
   and key = :key
 order by run_id desc
 limit :limit
