-- name: find_turn
-- Where a run of a graph stands among others of it.
select id, job, state, rerun_of, parent_id, node, item, schedule_id, origin
  from rota.run
 where id = :id
 union all
select id, job, state, rerun_of, parent_id, node, item, schedule_id, origin
  from rota.run_history
 where id = :id

-- name: runs_before
-- Runs of the same graph that were submitted earlier, the newest first, without reruns; also those
-- that have succeeded and that history has forgotten. Skipped ones did nothing, and nobody will run
-- those again whose dead letters were discarded.
select r.id, r.state
  from (
        select id, state
          from rota.run
         where namespace = :namespace
           and job = :job
           and id < :id
           and rerun_of is null
         union all
        select id, state
          from rota.run_history
         where namespace = :namespace
           and job = :job
           and id < :id
           and rerun_of is null
         union all
        select run_id, 'success'
          from rota.past_success
         where namespace = :namespace
           and job = :job
           and run_id < :id
       ) as r
 where r.state <> 'skipped'
   and not exists (select 1
                     from rota.dead_letter as d
                    where d.run_id = r.id
                      and d.state = 'discarded')
 order by r.id desc
 limit :limit

-- name: instants_before
-- Like runs_before for a schedule, by the instants of its runs. A run that history has forgotten
-- has no state.
select f.instant, f.run_id as id, coalesce(r.state, h.state) as state
  from rota.firing as f
  left join rota.run as r
    on r.id = f.run_id
  left join rota.run_history as h
    on h.id = f.run_id
 where f.schedule_id = :schedule_id
   and f.instant < :instant
   and f.kind in ('time', 'backfill')
   and f.run_id is not null
   and coalesce(r.state, h.state, '') <> 'skipped'
   and not exists (select 1
                     from rota.dead_letter as d
                    where d.run_id = f.run_id
                      and d.state = 'discarded')
 order by f.instant desc, f.run_id
 limit :limit

-- name: reruns_since
select id, state, rerun_of
  from rota.run
 where namespace = :namespace
   and job = :job
   and id > :id
   and rerun_of is not null
 union all
select id, state, rerun_of
  from rota.run_history
 where namespace = :namespace
   and job = :job
   and id > :id
   and rerun_of is not null
 order by id
 limit :limit

-- name: runs_of_node
-- Runs of one node, or of one item of it, in some runs of its graph.
select id, state
  from rota.run
 where parent_id {ids:ids}
   and node = :node
   and item is not distinct from cast(:item as {type:int})
 union all
select id, state
  from rota.run_history
 where parent_id {ids:ids}
   and node = :node
   and item is not distinct from cast(:item as {type:int})
 order by id

-- name: are_past_successes
select run_id
  from rota.past_success
 where namespace = :namespace
   and job = :job
   and run_id {ids:ids}
 limit 1

-- name: is_discarded
select run_id
  from rota.dead_letter
 where run_id = :id
   and state = 'discarded'

-- name: note_past_success
insert into rota.past_success (namespace, job, run_id, succeeded_at)
values (:namespace, :job, :run_id, {now})
on conflict (namespace, job, run_id) do nothing

-- name: waiting_turns
-- Claimed before, so that they wait for others of their graph and not for a schedule.
select id, schedule_id, origin, rerun_of, parent_id
  from rota.run as r
 where r.namespace = :namespace
   and r.job = :job
   and r.{from:unblock}
   and r.fence > 0
 order by r.id

-- name: prune_past_successes
delete from rota.past_success
 where (namespace, job, run_id) in (
        select namespace, job, run_id
          from rota.past_success
         where succeeded_at < {now} - :keep_ms
         order by succeeded_at
         limit :limit
       )

-- name: forget_past_successes
delete from rota.past_success
 where namespace = :namespace

-- name: count_begun
select count(*) as runs
  from rota.run
 where namespace = :namespace
   and job = :job
   and {from:complete}

-- name: count_begun_of
select job, count(*) as runs
  from rota.run
 where namespace = :namespace
   and job in ({each:jobs})
   and {from:complete}
 group by job

-- name: begun_runs
select id
  from rota.run
 where namespace = :namespace
   and job = :job
   and {from:complete}
 order by id
 limit :limit

-- name: let_next
-- The oldest run that waits for others of its graph; runs that wait for a schedule were never
-- claimed.
update rota.run
   set state = {to:unblock},
       ready_at = {now},
       rank = {rank:now, priority}
 where id in (
        select id
          from rota.run as r
         where r.namespace = :namespace
           and r.job = :job
           and r.{from:unblock}
           and r.fence > 0
         order by r.id
         limit 1
       )
returning namespace, queue
