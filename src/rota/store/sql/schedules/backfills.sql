-- name: settle_backfills
update rota.backfill as f
   set succeeded = f.succeeded + v.succeeded,
       failed = f.failed + v.failed,
       look_at = case when f.state = 'active' then {now} else f.look_at end
  from {rows:filled} as v
 where f.id = v.id

-- name: end_backfills
update rota.backfill
   set state = 'cancelled',
       note = :note,
       look_at = null,
       ended_at = {now}
 where schedule_id = :schedule_id
   and state = 'active'

-- name: insert_backfill
insert into rota.backfill (
    id, namespace, schedule_id, from_at, to_at, newest_first, reprocess, parallel, args, total,
    edge_at, look_at, created_at
)
values (
    :id, :namespace, :schedule_id, :from_at, :to_at, :newest_first, :reprocess, :parallel, :args,
    :total, :edge_at, {now}, {now}
)
on conflict (id) do nothing

-- name: take_backfills
select f.id, f.namespace, f.schedule_id, f.from_at, f.to_at, f.newest_first, f.reprocess,
       f.parallel, f.args, f.edge_at, {now} as now
  from rota.backfill as f
 where f.look_at <= {now}
 order by f.look_at
 limit :limit
 {sql:skip_locked}

-- name: try_schedule
-- Lock it, or find nothing when another has it.
select id
  from rota.schedule
 where id = :id
 {sql:skip_locked}

-- name: find_base
-- The schedule of a backfill as `take_schedules` has it, and the runs of the backfill, whose row is
-- ours by now: counted by the statement that takes it they may have ended before it was.
select {columns:schedule}, {columns:its_job}, {now} as now,
       (select count(*) from rota.run as r where r.backfill_id = :backfill_id) as live
  from rota.schedule as s
 where s.id = :id

-- name: firings_between
-- The firings of a range of instants: the runs that were made, and where they are now.
select f.instant, f.run_id,
       r.id is not null as is_live,
       coalesce(r.state, h.state) as state
  from rota.firing as f
  left join rota.run as r
    on r.id = f.run_id
  left join rota.run_history as h
    on h.id = f.run_id
 where f.schedule_id = :schedule_id
   and f.instant between :low and :high
   and f.kind in ('time', 'backfill')
   and f.run_id is not null
 order by f.instant, f.decided_at, f.run_id

-- name: reruns_of
-- The runs that repeat these runs.
select id, rerun_of, state, true as is_live
  from rota.run
 where rerun_of {ids:ids}
   and rerun_of is not null
 union all
select id, rerun_of, state, false as is_live
  from rota.run_history
 where rerun_of {ids:ids}
   and rerun_of is not null

-- name: move_backfill
update rota.backfill
   set edge_at = :edge_at,
       seen = seen + :seen,
       started = started + :started,
       state = :state,
       note = :note,
       look_at = :look_at,
       ended_at = case when :state <> 'active' then {now} else ended_at end
 where id = :id

-- name: find_backfill
select f.*, (select count(*) from rota.run as r where r.backfill_id = f.id) as live,
       s.name as schedule
  from rota.backfill as f
  left join rota.schedule as s
    on s.id = f.schedule_id
 where f.id = :id
   and f.namespace = :namespace

-- name: list_backfills
select f.*, (select count(*) from rota.run as r where r.backfill_id = f.id) as live,
       s.name as schedule
  from rota.backfill as f
  join rota.schedule as s
    on s.id = f.schedule_id
 where f.namespace = :namespace
   and (cast(:schedule as text) is null or s.name = :schedule)
   and (cast(:before as {type:uuid}) is null or f.id < :before)
 order by f.id desc
 limit :limit

-- name: cancel_backfill
update rota.backfill
   set state = 'cancelled',
       note = :note,
       look_at = null,
       ended_at = {now}
 where id = :id
   and namespace = :namespace
   and state = 'active'

-- name: prune_backfills
delete from rota.backfill
 where id in (
        select id
          from rota.backfill
         where ended_at < {now} - :keep_ms
         limit :limit
       )

-- name: find_for_backfill
select {columns:schedule}, {columns:its_job}, {now} as now
  from rota.schedule as s
 where s.namespace = :namespace
   and s.name = :name
