-- name: take_schedules
-- Schedules that have to be looked at, longest first; other schedulers skip locked rows.
-- With the job's current definition: one statement less for each look.
select {columns:schedule}, {columns:its_job}, {now} as now
  from rota.schedule as s
 where look_at <= {now} + :ahead_ms
 order by look_at
 limit :limit
 {sql:skip_locked}

-- name: take_schedule
-- Like take_schedules for one schedule; waits for the holder of its lock.
select {columns:schedule}, {columns:its_job}, {now} as now
  from rota.schedule as s
 where namespace = :namespace
   and name = :name
 {lock:s}

-- name: next_look
-- When schedules and backfills are due next; null when nothing is. And how many schedules have to
-- be looked at then, up to a thousand: the more, the earlier the work has to begin.
with soon as (
    select min(n.look_at) as look_at
      from (
            select min(look_at) as look_at from rota.schedule where look_at is not null
             union all
            select min(look_at) as look_at from rota.backfill where look_at is not null
           ) as n
)
select soon.look_at - {now} as wait_ms,
       (select count(*)
          from (
                select 1
                  from rota.schedule as s
                 where s.look_at <= (select look_at from soon) + :within_ms
                 limit 1000
               ) as c) as crowd
  from soon

-- name: insert_firings
-- Firings that a backfill has made already, while the schedule was paused, are not made again.
insert into rota.firing (schedule_id, instant, kind, request, run_id, decision, decided_at)
select b.schedule_id, b.instant, b.kind, coalesce(b.request, ''), b.run_id, b.decision, {now}
  from {rows:firing} as b
 where b.kind <> 'time'
    or not exists (
        select 1
          from rota.firing as f
         where f.schedule_id = b.schedule_id
           and f.instant = b.instant
           and f.kind = 'backfill'
       )
on conflict (schedule_id, instant, kind, request) do nothing

-- name: find_firings
-- The runs of these firings: a firing with another run was there before.
select f.schedule_id, f.instant, f.kind, f.request, f.run_id, f.decision
  from {rows:firing} as b
  join rota.firing as f
    on f.schedule_id = b.schedule_id
   and f.instant = b.instant
   and f.kind = b.kind
   and f.request = coalesce(b.request, '')

-- name: list_firings
select f.schedule_id, f.instant, f.kind, f.request, f.run_id, f.decision, f.decided_at,
       coalesce(r.state, h.state) as state
  from rota.firing as f
  left join rota.run as r
    on r.id = f.run_id
  left join rota.run_history as h
    on h.id = f.run_id
 where f.schedule_id = :schedule_id
   and f.instant <= :instant
   and (f.instant < :instant
        or (f.decided_at, f.kind, f.request) < (:decided_at, :kind, :request))
 order by f.instant desc, f.decided_at desc, f.kind desc, f.request desc
 limit :limit

-- name: move_schedules
-- The cursor only ever grows, whatever the clock does.
update rota.schedule as s
   set state = v.state,
       note = coalesce(v.note, s.note),
       rules_version = v.rules_version,
       cursor_at = {sql:greatest}(s.cursor_at, v.cursor_at),
       last_at = v.last_at,
       next_at = v.next_at,
       look_at = v.look_at,
       fired = s.fired + v.fired,
       missed = s.missed + v.missed,
       missed_at = case when v.is_missed then {now} else s.missed_at end,
       skipped = s.skipped + v.skipped
  from {rows:moved} as v
 where s.id = v.id

-- name: fired_runs
-- The runs of schedules that may run, apart from backfills that have a limit of their own. One
-- that was claimed and waits for others than its schedule has begun.
select r.id, r.schedule_id, r.backfill_id, r.fence, r.state, r.cancel_requested
  from rota.run as r
 where r.schedule_id {ids:ids}
   and (r.backfill_id is null or exists (
            select 1
              from rota.backfill as f
             where f.id = r.backfill_id
               and f.parallel = 0
           ))
   and (r.state <> 'pending' or r.fence > 0)
 order by r.id

-- name: waiting_runs
-- A locked one is being cancelled: it does not wait any more.
select id, schedule_id, fence, namespace, queue, created_at, expires_at, origin
  from rota.run
 where schedule_id {ids:ids}
   and {from:unblock}
   and fence = 0
 order by id
 {sql:skip_locked}

-- name: pick_to_stop
-- A locked one is ending right now.
select id, namespace, fence, state, worker_id
  from rota.run
 where id {ids:ids}
 order by id
 {sql:skip_locked}

-- name: request_cancels
update rota.run
   set cancel_requested = true,
       cancel_reason = :reason
 where id {ids:ids}
   and {from:heartbeat}

-- name: find_fired
-- Runs of schedules that are about to end, locked until they have.
select run.id, run.schedule_id, run.backfill_id, run.rerun_of,
       exists (
            select 1
              from rota.backfill as f
             where f.id = run.backfill_id
               and f.parallel = 0
           ) as keeps,
       exists (select 1 from rota.awaited as a where not a.is_cleared) as is_awaited
  from {rows:verdict} as v
  join rota.run as run
    on run.id = v.run_id
   and run.fence = v.fence
   and run.namespace = :namespace
   and run.schedule_id is not null
 order by run.id
 {sql:lock}

-- name: lock_schedules
-- Before their runs are looked at: a start that is made to wait meanwhile is seen afterwards.
select id
  from rota.schedule as s
 where id {ids:ids}
 order by id
 {lock:s}

-- name: settle_schedules
update rota.schedule as s
   set failures = v.failures_now,
       last_run = coalesce(v.run_id, s.last_run),
       last_state = coalesce(v.state, s.last_state),
       last_ended_at = case when v.run_id is not null then {now} else s.last_ended_at end,
       last_success = coalesce(v.success, s.last_success),
       last_success_at = case when v.success is not null then {now} else s.last_success_at end,
       blocked_by = case when s.is_strict and v.failure is not null then v.failure
                         when s.blocked_by = v.healed then null
                         else s.blocked_by end,
       state = case when v.pauses then 'paused' else s.state end,
       note = case when v.pauses then 'paused by itself: ' || v.failures_now || ' runs in a row failed'
                   else s.note end,
       changed_by = case when v.pauses then 'rota' else s.changed_by end,
       changed_at = case when v.pauses then {now} else s.changed_at end,
       look_at = case when v.has_waiting then {now}
                      when v.pauses then null
                      when s.follows_end and s.state = 'active' then {now}
                      else s.look_at end
  from (
        select w.*, w.is_active and w.failures_now >= w.pause_after as pauses
          from (
                select b.*,
                       case when b.success is not null then b.failures
                            else t.failures + b.failures end as failures_now,
                       t.pause_after,
                       t.state = 'active' as is_active,
                       exists (
                            select 1
                              from rota.run as r
                             where r.schedule_id = t.id
                               and r.state = 'pending'
                               and r.fence = 0
                           ) as has_waiting
                  from {rows:settled} as b
                  join rota.schedule as t
                    on t.id = b.id
               ) as w
       ) as v
 where s.id = v.id
returning look_at is not null and look_at <= {now} as is_due

-- name: wake_waiting
-- Catches lost wake-ups: schedules with starts that wait are looked at now and then.
update rota.schedule
   set look_at = {now}
 where id in (
        select r.schedule_id
          from rota.run as r
         where r.schedule_id is not null
           and r.state = 'pending'
           and r.fence = 0
       )
   and (look_at is null or look_at > {now})

-- name: end_of_page
-- The last id of a page of schedules after an id; no row when the page is not full.
select id
  from rota.schedule
 where id > :after
 order by id
 limit 1 offset :limit - 1

-- name: stale_schedules
-- Schedules computed with other rules of time than ours; a page of the whole table. Those that are
-- up to date stay in the database: a million rows that came out to be compared took half a minute
-- of a core.
select id
  from rota.schedule
 where id > :after
   and (cast(:until as {type:uuid}) is null or id <= :until)
   and rules_version <> :version
   and substr(rules_version, 1, length(cast(:version as text)) + 1)
       <> cast(:version as text) || '#'

-- name: look_again
update rota.schedule
   set look_at = {now}
 where id {ids:ids}
   and state = 'active'

-- name: look_again_at_users
-- A calendar was changed: every schedule that uses it is computed again.
update rota.schedule
   set look_at = {now}
 where namespace = :namespace
   and calendar = :calendar
   and state = 'active'

-- name: find_schedule
select s.*,
       (select count(*) from rota.run as r
         where r.schedule_id = s.id and r.state <> 'pending') as running,
       (select count(*) from rota.run as r
         where r.schedule_id = s.id and r.state = 'pending') as waiting
  from rota.schedule as s
 where s.namespace = :namespace
   and s.name = :name

-- name: list_schedules
select s.*,
       (select count(*) from rota.run as r
         where r.schedule_id = s.id and r.state <> 'pending') as running,
       (select count(*) from rota.run as r
         where r.schedule_id = s.id and r.state = 'pending') as waiting
  from rota.schedule as s
 where s.namespace = :namespace
   and (cast(:job as text) is null or s.job = :job)
   and (cast(:state as text) is null or s.state = :state)
   and s.name > :after
 order by s.name
 limit :limit

-- name: search_schedules
-- Searches a page of names for a text: of a million schedules the others are not read.
select n.name, n.job, n.state
  from (
        select s.name, s.job, s.state
          from rota.schedule as s
         where s.namespace = :namespace
           and s.name >= :first
         order by s.name
         limit :most
       ) as n
 where lower(n.name) like lower(:text) escape '!'
   and (cast(:reached as text) is null or n.job in ({each:reached}))
 limit :limit

-- name: schedules_of_jobs
-- Some of each: a job may have very many.
select name, job, state
  from rota.schedule
 where namespace = :namespace
   and job {sql:among} {each:jobs} {sql:end_among}
 limit :limit

-- name: upcoming_schedules
-- Schedules that fire until then without an event, the next one first.
select {columns:schedule}, {now} as now
  from rota.schedule as s
 where s.namespace = :namespace
   and s.state = 'active'
   and s.next_at <= :until
 order by s.next_at, s.name
 limit :limit

-- name: declared_schedules
-- Schedules that the code of these jobs has declared before.
select name
  from rota.schedule
 where namespace = :namespace
   and job {sql:among} {each:jobs} {sql:end_among}
   and origin = 'code'

-- name: owned_schedules
-- Schedules that the code of this app has declared before, for any job.
select name
  from rota.schedule
 where namespace = :namespace
   and app = :app
   and origin = 'code'

-- name: insert_schedule
insert into rota.schedule (
    id, namespace, name, job, spec, origin, state, changed_by, changed_at, created_at,
    rules_version, calendar, cursor_at, next_at, look_at, pause_after, is_strict, follows_end,
    event, app, deadline
)
values (
    :id, :namespace, :name, :job, :spec, :origin, :state, :changed_by, {now}, {now},
    :rules_version, :calendar, :cursor_at, :next_at, :look_at, :pause_after, :is_strict,
    :follows_end, :event, :app, :deadline
)
on conflict (namespace, name) do nothing

-- name: replace_schedule
update rota.schedule
   set job = :job,
       spec = :spec,
       origin = :origin,
       revision = revision + 1,
       state = :state,
       note = :note,
       changed_by = :changed_by,
       changed_at = {now},
       rules_version = :rules_version,
       calendar = :calendar,
       cursor_at = :cursor_at,
       last_at = :last_at,
       next_at = :next_at,
       look_at = :look_at,
       late_until = :late_until,
       pause_after = :pause_after,
       is_strict = :is_strict,
       follows_end = :follows_end,
       event = :event,
       app = :app,
       deadline = :deadline
 where id = :id

-- name: hold_schedule
-- Pause it, or activate it again; instants due meanwhile count as missed.
update rota.schedule
   set state = :state,
       note = :note,
       changed_by = :changed_by,
       changed_at = {now},
       late_until = :late_until,
       failures = case when :clears then 0 else failures end,
       blocked_by = case when :clears then null else blocked_by end,
       look_at = :look_at
 where id = :id

-- name: unblock_schedule
update rota.schedule
   set blocked_by = null,
       changed_by = :changed_by,
       changed_at = {now},
       look_at = {now}
 where id = :id

-- name: delete_schedule
delete from rota.schedule
 where id = :id

-- name: load_calendars
select namespace, name, version, spec
  from rota.calendar
 where namespace in ({each:namespaces})

-- name: put_calendar
insert into rota.calendar as calendar (namespace, name, version, spec, changed_at)
values (:namespace, :name, 1, :spec, {now})
on conflict (namespace, name) do update
   set version = calendar.version + 1,
       spec = excluded.spec,
       changed_at = excluded.changed_at
 where calendar.spec <> excluded.spec

-- name: delete_calendar
delete from rota.calendar
 where namespace = :namespace
   and name = :name

-- name: prune_firings
delete from rota.firing
 where (schedule_id, instant, kind, request) in (
        select schedule_id, instant, kind, request
          from rota.firing
         where decided_at < {now} - :keep_ms
         limit :limit
       )

-- name: find_request
select run_id, decision
  from rota.firing
 where schedule_id = :schedule_id
   and kind = :kind
   and request = :request

-- name: count_starts
update rota.schedule
   set fired = fired + :fired,
       skipped = skipped + :skipped
 where id = :id

-- name: jobs_by_calendar
select distinct calendar, job
  from rota.schedule
 where namespace = :namespace
   and calendar is not null

-- name: calendar_users
select name
  from rota.schedule
 where namespace = :namespace
   and calendar = :calendar
 order by name
 limit 1

-- name: load_blackouts
select namespace, name, spec, {now} as now
  from rota.blackout
 where namespace in ({each:namespaces})
 order by namespace, name

-- name: put_blackout
insert into rota.blackout as blackout (namespace, name, spec, changed_at)
values (:namespace, :name, :spec, {now})
on conflict (namespace, name) do update
   set spec = excluded.spec,
       changed_at = excluded.changed_at
 where blackout.spec <> excluded.spec

-- name: delete_blackout
delete from rota.blackout
 where namespace = :namespace
   and name = :name

-- name: last_success
select s.last_success_at as at, h.result
  from rota.schedule as s
  left join rota.run_history as h
    on h.id = s.last_success
 where s.namespace = :namespace
   and s.name = :name

-- name: overdue_schedule
-- The one that waits longest for a scheduler.
select {now} - look_at as overdue_ms
  from rota.schedule
 where look_at < {now}
   and namespace = :namespace
 order by look_at
 limit 1

-- name: overdue_schedules
-- Nobody looked at them for longer than :late_ms; counted up to :most.
select count(*) as schedules, min(s.look_at) as first_at
  from (
        select look_at
          from rota.schedule
         where look_at <= {now} - :late_ms
           and namespace = :namespace
         order by look_at
         limit :most
       ) as s
