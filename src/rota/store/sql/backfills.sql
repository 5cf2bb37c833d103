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
