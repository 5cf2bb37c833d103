-- name: running_now
-- As many as there are slots; `is not null` leads to the index of held runs.
select id, fence, progress, progress_note, cancel_requested, {columns:held} as is_held
  from rota.run
 where {from:heartbeat}
   and worker_id is not null
 limit :limit

-- name: changed_live
select id, namespace, job, version, queue, priority, {columns:seen} as state, attempt, failures,
       crashes, created_at, due_at, {columns:seen_start} as started_at, null as finished_at, progress, progress_note, worker_id, schedule_id,
       parent_id, node, item, cancel_requested, error, null as reason
  from rota.run
 where id {ids:ids}
   and (cast(:namespace as text) is null or namespace = :namespace)

-- name: changed_ended
-- By the time as well, so that few partitions are read.
select id, namespace, job, version, queue, priority, state, attempt, failures, crashes, created_at,
       due_at, started_at, finished_at, progress, progress_note, worker_id, schedule_id,
       parent_id, node, item, false as cancel_requested, error, reason
  from rota.run_history
 where id {ids:ids}
   and finished_at >= :since
   and (cast(:namespace as text) is null or namespace = :namespace)

-- name: log_ends
-- Where the lines of each claim end, as far as they are stored.
select fence, max(seq) as seq
  from rota.log_chunk
 where substr(cast(run_id as text), 1, 13) = substr(cast(cast(:run_id as {type:uuid}) as text), 1, 13)
   and run_id = cast(:run_id as {type:uuid})
   and namespace = :namespace
   and last_id is null
 group by fence

-- name: definition_mark
-- Sealed and unsealed audit entries; deployed code; breakers that changed.
select coalesce((select chain.seq from rota.chain as chain where chain.namespace = :namespace), 0)
       + (select count(*)
            from (
                  select act.id
                    from rota.act as act
                   where act.namespace = :namespace
                     and act.seq is null
                   limit 10000
                 ) as fresh) as acts,
       coalesce((select max(release.number)
                   from rota.release as release
                  where release.namespace = :namespace), 0) as release,
       coalesce((select sum(breaker.turn) + count(*)
                   from rota.breaker as breaker
                  where breaker.namespace = :namespace), 0) as turns

-- name: newest_acts
select id, verb
  from rota.act
 where namespace = :namespace
 order by id desc
 limit :limit
