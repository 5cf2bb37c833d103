-- name: prune_history
-- In batches, so that a big backlog never blocks writers for long.
delete from rota.run_history
 where id in (
        select id
          from rota.run_history
         where finished_at < {now} - :keep_ms
           and state in ({each:states})
         limit :limit
       )

-- name: count_old_runs
select count(*) as runs
  from (
        select id
          from rota.run_history
         where finished_at < {now} - :keep_ms
           and state in ({each:states})
         limit :limit
       ) as old

-- name: prune_attempts
delete from rota.attempt
 where run_id in (
        select run_id
          from rota.attempt
         where ended_at < {now} - :keep_ms
         limit :limit
       )
   and ended_at < {now} - :keep_ms

-- name: prune_nodes
delete from rota.node
 where graph_id in (
        select graph_id
          from rota.node
         where name = ''
           and ended_at < {now} - :keep_ms
         order by ended_at
         limit :limit
       )

-- name: prune_keys
-- The time is checked again: a submit that takes the key right now has changed it.
delete from rota.run_key
 where (namespace, job, key) in (
        select namespace, job, key
          from rota.run_key
         where expires_at <= {now}
         limit :limit
       )
   and expires_at <= {now}
