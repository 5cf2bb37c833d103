-- name: unblock_runs
with picked as materialized (
    select id
      from rota.run
     where id {ids:ids}
       and {from:unblock}
     order by id
     {sql:skip_locked}
)
update rota.run
   set state = {to:unblock},
       ready_at = {now},
       rank = {rank:now, priority}
 where id {sql:among} select id from picked {sql:end_among}
returning namespace, queue

-- name: defer_run
-- Claimed, but it may not begin yet: it waits without a place in the queue.
update rota.run
   set state = {to:defer},
       rank = null,
       worker_id = null,
       started_at = null,
       attempt = attempt - 1
 where id = :id
   and fence = :fence
   and {from:defer}

-- name: hold_runs
-- They have not started: while the run of their graph is paused they wait.
update rota.run
   set state = {to:hold},
       rank = null
 where id {ids:ids}
   and {from:hold}
