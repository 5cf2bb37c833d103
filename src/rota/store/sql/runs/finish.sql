-- name: close_runs
-- The move to history is the end of a run: guarded by its state and its fence, so it happens once.
with gone as (
    delete from rota.run as run
     using {rows:verdict} as v
     where run.id = v.run_id
       and run.fence = v.fence
       and run.namespace = :namespace
       and {allowed:final}
    returning run.*, {becomes:final} as ending, v.result, v.error as last_error, v.kind,
              {columns:began} as began_at,
              case when v.verb = 'abort' then coalesce(run.cancel_reason, v.reason)
                   else v.reason end as reason
)
insert into rota.run_history (
    {columns:made}, started_at,
    state, failures, crashes, fence, finished_at, result, error, reason
)
select {columns:made}, began_at,
       ending,
       failures + case when kind in ('error', 'timeout') then 1 else 0 end,
       crashes + case when kind in ('crash', 'lost') then 1 else 0 end,
       fence, {now}, result, coalesce(last_error, error), reason
  from gone

-- name: not_closed
-- Verdicts of a batch that found no run to close: their leases were lost. A verdict that was
-- applied before is none of them: its answer got lost, and it is sent again. The reason of an abort
-- may be that of the cancel; a worker in history proves that the run ended under this very lease.
select v.run_id
  from {rows:verdict} as v
 where not exists (
        select 1
          from rota.run_history as h
         where h.id = v.run_id
           and h.fence = v.fence
           and h.namespace = :namespace
           and h.state = {becomes:final}
           and (h.reason is not distinct from v.reason
                or (v.verb = 'abort' and h.worker_id is not null))
       )

-- name: record_attempts
-- Before the run changes: the guard is the same, so a lost lease records nothing. Locked, so
-- that nobody ends the attempt between this record and the change. The guard asks the verdict
-- too, as in observe_attempts: before the first ANALYZE all running runs were read.
insert into rota.attempt (run_id, number, fence, kind, worker_id, started_at, ended_at, error)
select run.id, run.attempt, run.fence, v.kind, run.worker_id, {columns:began}, {now}, v.error
  from {rows:verdict} as v
  join rota.run as run
    on run.id = v.run_id
   and run.fence = v.fence
   and (v.verb is null or (run.namespace = :namespace and run.{from:fail}))
 where v.kind is not null
 order by run.id
 {sql:lock}

-- name: count_crashes
-- Attempts that ended with a process in which the run was alone.
select run_id, count(*) as crashes
  from rota.attempt
 where run_id {ids:ids}
   and kind = 'crash'
 group by run_id

-- name: count_lone_losses
-- Attempts that ended with a worker in which this run alone was under suspicion.
select run_id, count(*) as crashes
  from rota.attempt
 where run_id {ids:ids}
   and kind = 'lost'
   and error like :mark
 group by run_id

-- name: retry_runs
-- After an acknowledged cancel no new attempt may start: such a run is left for `abort`.
-- Expiry is for runs that never started.
update rota.run as run
   set state = {to:retry},
       rank = null,
       worker_id = null,
       failures = failures + case when v.kind in ('error', 'timeout') then 1 else 0 end,
       crashes = crashes + case when v.kind in ('crash', 'lost') then 1 else 0 end,
       error = v.error,
       expires_at = null,
       ready_at = {now} + coalesce(v.delay_ms, 0)
  from {rows:verdict} as v
 where run.id = v.run_id
   and run.fence = v.fence
   and run.namespace = :namespace
   and run.{from:retry}
   and not run.cancel_requested
returning id

-- name: requeue_runs
-- Back to the queue at the old place. A release leaves no trace of the claim but the fence;
-- a reaped attempt counts as a crash.
update rota.run as run
   set state = {becomes:queued},
       attempt = attempt - case when v.verb = 'release' then 1 else 0 end,
       crashes = crashes + case when v.verb = 'reap' then 1 else 0 end,
       error = coalesce(v.error, run.error),
       expires_at = case when v.verb = 'release' then expires_at end,
       worker_id = null,
       started_at = null
  from {rows:verdict} as v
 where run.id = v.run_id
   and run.fence = v.fence
   and run.namespace = :namespace
   and {allowed:queued}
   and v.verb in ('release', 'reap')
   and not run.cancel_requested
returning id, queue

-- name: never_begun
-- Runs that are about to end before their handler began: they had no start, and no attempt.
update rota.run as run
   set started_at = null,
       attempt = attempt - 1
  from {rows:verdict} as v
 where run.id = v.run_id
   and run.fence = v.fence
   and run.namespace = :namespace
   and run.{from:abort}

-- name: note_begun
-- Runs that were held ready and have a slot now: 0 means that their start is that of the handler. A
-- locked run ends right now.
with picked as materialized (
    select id
      from rota.run
     where id in (select b.run_id from {rows:begun_run} as b)
     {sql:skip_locked}
)
update rota.run as run
   set started_at = case when run.started_at + b.held_ms > {now} then {now}
                         else run.started_at + b.held_ms end,
       held_fence = 0
  from {rows:begun_run} as b
 where run.id = b.run_id
   and run.fence = b.fence
   and run.held_fence = b.fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
   and run.id {sql:among} select id from picked {sql:end_among}

-- name: note_progress
-- A run that is locked ends right now: a heartbeat that waited for it could cost the whole lease.
with picked as materialized (
    select id
      from rota.run
     where id in (select p.run_id from {rows:progress} as p)
     {sql:skip_locked}
)
update rota.run as run
   set progress = p.fraction,
       progress_note = p.note
  from {rows:progress} as p
 where run.id = p.run_id
   and run.fence = p.fence
   and run.{from:heartbeat}
   and run.id {sql:among} select id from picked {sql:end_among}
