-- name: hold_run
-- The first statement of a handler's own commit: nobody takes the run away before it has ended.
select run.id, null as tx
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:succeed}
   and not run.cancel_requested

-- name: has_committed
-- Only the holder of a fence can end a run as a success under it.
select 1 as yes
  from rota.run_history
 where id = :run_id
   and fence = :fence
   and namespace = :namespace
   and state = {to:succeed}

-- name: guard_run
select run.id
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
 {sql:lock}

-- name: intend_effect
-- Not after an acknowledged cancel: what has not begun must not begin.
insert into rota.effect (run_id, name, fence, intended_at)
select run.id, :name, run.fence, {now}
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
   and not run.cancel_requested
 {sql:lock}
on conflict (run_id, name) do nothing

-- name: find_effect
select e.name, e.result, e.settled_at
  from rota.run as run
  left join rota.effect as e
    on e.run_id = run.id
   and e.name = :name
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
   and not run.cancel_requested

-- name: settle_effect
update rota.effect
   set result = :result,
       settled_at = {now}
 where run_id = :run_id
   and name = :name
   and settled_at is null

-- name: retract_effect
delete from rota.effect
 where run_id = :run_id
   and name = :name
   and settled_at is null

-- name: list_effects
select name, fence, intended_at, settled_at, result
  from rota.effect
 where run_id = :run_id
 order by intended_at, name

-- name: save_checkpoint
update rota.run as run
   set checkpoint = :state
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}

-- name: load_checkpoint
select run.checkpoint
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}

-- name: prune_effects
delete from rota.effect
 where (run_id, name) in (
        select e.run_id, e.name
          from rota.effect as e
         where e.intended_at < {now} - :keep_ms
           and not exists (
                select 1
                  from rota.run as run
                 where run.id = e.run_id
               )
         limit :limit
       )
