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

-- name: is_held_run
-- A read only: the caller may hold locks of its own in the same database.
select 1 as yes
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:succeed}
   and not run.cancel_requested

-- name: guard_run
select run.id
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
 {sql:lock}

-- name: intend_effect
-- Not after an acknowledged cancel: effects that have not begun must not begin. A run that repeats
-- another one, or may, looks for effects that the other left.
insert into rota.effect (run_id, name, fence, intended_at, args_digest)
select run.id, :name, run.fence, {now}, :digest
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:heartbeat}
   and not run.cancel_requested
 {sql:lock}
on conflict (run_id, name) do nothing
returning exists (
        select 1
          from rota.run as r
         where r.id = run_id
           and (r.rerun_of is not null or r.parent_id is not null)
       ) as may_repeat

-- name: find_effect
select e.name, e.result, e.settled_at, e.key_run, e.outcome
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

-- name: begin_effect_again
-- A person settled that it did not take place: the doubt is over, and begins anew with this
-- attempt.
update rota.effect
   set outcome = null,
       decided_by = null,
       fence = :fence,
       intended_at = {now}
 where run_id = :run_id
   and name = :name
   and settled_at is null
   and outcome = 'not_done'

-- name: find_lineage
-- Which run a run repeats, and whose node it carries out.
select id, state, rerun_of, parent_id, node, item
  from rota.run
 where id = :id
 union all
select id, state, rerun_of, parent_id, node, item
  from rota.run_history
 where id = :id

-- name: find_node_runs
-- Ended runs of a node, or of one of its items, in one run of its graph; the newest first.
select id, state
  from rota.run_history
 where parent_id = :graph_id
   and node = :node
   and coalesce(item, -1) = :item
   and id <> :but
 order by id desc
 limit :limit

-- name: take_up_effect
-- Waits for a person who settles it meanwhile; a later one finds that it was taken up. Effects that
-- succeeded are done anew when the run is run again, unless it left a doubt.
update rota.effect
   set taken_by = :by_run
 where run_id = :run_id
   and name = :name
   and taken_by is null
   and (settled_at is null or not cast(:is_success as {type:bool}))
   and (cast(:digest as text) is null or args_digest is null or args_digest = :digest)
returning key_run, settled_at, result, outcome, decided_by

-- name: find_taker
select taken_by, key_run
  from rota.effect
 where run_id = :run_id
   and name = :name

-- name: inherit_effect
update rota.effect
   set key_run = :key_run,
       settled_at = :settled_at,
       result = :result,
       decided_by = :decided_by,
       outcome = :outcome
 where run_id = :run_id
   and name = :name

-- name: lock_live_run
select run.state
  from rota.run as run
 where run.id = :run_id
   and run.namespace = :namespace
 {sql:lock}

-- name: decide_effect
-- A decision of a person counts while the call is in doubt, and until a later run has taken it up.
update rota.effect
   set settled_at = case when :outcome = 'done' then {now} end,
       result = case when :outcome = 'done' then :result end,
       outcome = :outcome,
       decided_by = :who
 where run_id = :run_id
   and name = :name
   and settled_at is null
   and taken_by is null

-- name: list_effects
select name, fence, intended_at, settled_at, result, key_run, taken_by, outcome, decided_by
  from rota.effect
 where run_id = :run_id
 order by intended_at, name

-- name: list_doubts
-- Without runs that work on them. A person with access to some queues sees only those.
select e.run_id, r.job, r.queue, r.state, r.parent_id, e.name, e.intended_at, e.key_run
  from rota.effect as e
  join (
        select id, namespace, job, queue, state, parent_id
          from rota.run
         where not {from:heartbeat}
         union all
        select id, namespace, job, queue, state, parent_id
          from rota.run_history
       ) as r
    on r.id = e.run_id
 where e.settled_at is null
   and e.taken_by is null
   and e.outcome is null
   and r.namespace = :namespace
   and (cast(:job as text) is null or r.job = :job)
   and (cast(:queues as text) is null or r.queue in ({each:queues}))
 order by e.intended_at desc, e.run_id, e.name
 limit :limit

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
